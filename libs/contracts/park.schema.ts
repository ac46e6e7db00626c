import { z } from 'zod';

/** What a turn waits for while it holds nothing: that a person allows a call, or answers a question (TU-7). */
export const parkSchema = z.object({
  call: z.string(),
  tool: z.string(),
  kind: z.enum(['approval', 'question']),
  /** What the person reads. Written by a hook or by the model. */
  title: z.string(),
  /** Answers to choose from; another answer is as good. Empty for an approval. */
  choices: z.array(z.string()),
  /** What the call runs with, as JSON, a hook's changes included. */
  arguments: z.string(),
  /** The tool's own note of where it was: with it the call runs again when there is an answer. Without it the answer is the result. */
  resume: z.string().optional(),
  /** Questions of the same call before this one; each is a wait of its own. */
  round: z.int().min(0).optional(),
});
export type Park = z.infer<typeof parkSchema>;

/** What ended the wait. An approval is approved or denied, a question answered; either may run out of time or be cancelled. */
export const parkDecisionSchema = z.enum(['approved', 'denied', 'answered', 'expired', 'cancelled']);
export type ParkDecision = z.infer<typeof parkDecisionSchema>;

/** Names the park it ends, within a session. */
export const parkAnswerSchema = z.object({
  code: z.string(),
  ...parkSchema.pick({ call: true, kind: true, round: true }).shape,
  decision: parkDecisionSchema,
});

/** What is shown of a park to whoever follows or reads the conversation. */
export const shownParkSchema = z.object({
  code: z.string(),
  ...parkSchema.pick({ kind: true, title: true, choices: true }).shape,
});
export type ShownPark = z.infer<typeof shownParkSchema>;
