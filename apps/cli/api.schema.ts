import { z } from 'zod';

/** What the command line reads of the answers of the HTTP API (docs/http-api.md); more fields may come. */

/** A control command acts at once; what it says is its whole answer. */
const obeyedSchema = z.looseObject({ command: z.string(), reply: z.string() });

export const acceptedSchema = z.union([
  z.looseObject({ session: z.string(), messageId: z.string(), turnId: z.string(), sequence: z.number(), duplicate: z.boolean() }),
  obeyedSchema,
]);
export type AcceptedMessage = z.infer<typeof acceptedSchema>;

export const answeredSchema = z.union([
  z.looseObject({
    text: z.string(),
    /** Null while it is on its way; none at all when the answer is old. */
    messages: z.array(z.looseObject({ content: z.string().nullable() })),
  }),
  obeyedSchema,
]);
export type AnsweredMessage = z.infer<typeof answeredSchema>;

export const pairedSchema = z.looseObject({ channel: z.string(), account: z.string(), sender: z.string(), name: z.string() });
export type PairedSender = z.infer<typeof pairedSchema>;

export const pairingsSchema = z.looseObject({
  pending: z.array(pairedSchema.extend({ code: z.string(), endsInMs: z.number() })),
  approved: z.array(pairedSchema.extend({ by: z.string() })),
});
export type PairingList = z.infer<typeof pairingsSchema>;

const deadLetterSchema = z.looseObject({
  id: z.string(),
  at: z.number(),
  state: z.enum(['dead', 'unknown']),
  reason: z.string(),
  channel: z.string(),
  account: z.string(),
  conversation: z.string(),
  text: z.string(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

export const deadLettersSchema = z.looseObject({ deadLetters: z.array(deadLetterSchema), next: z.number().nullable() });
export type DeadLetterPage = z.infer<typeof deadLettersSchema>;

export const replayedSchema = z.looseObject({ id: z.string(), replayedAs: z.string(), replayedAt: z.number() });
export type ReplayedLetter = z.infer<typeof replayedSchema>;

/** A letter, or where it was sent again, that: shown as it is. */
export const foundLetterSchema = z.looseObject({ id: z.string() });
export type FoundLetter = z.infer<typeof foundLetterSchema>;

const shownToolSchema = z.looseObject({
  name: z.string(),
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('native') }),
    z.object({ kind: z.literal('plugin'), plugin: z.string() }),
    z.object({ kind: z.literal('mcp'), server: z.string() }),
  ]),
  group: z.string().optional(),
  optional: z.boolean().optional(),
  ownerOnly: z.boolean().optional(),
  visible: z.boolean(),
  because: z.string(),
  at: z.string().optional(),
  rules: z.array(z.looseObject({ says: z.string(), because: z.string(), at: z.string().optional() })).default([]),
});
export type ShownTool = z.infer<typeof shownToolSchema>;

export const shownToolsSchema = z.looseObject({ tools: z.array(shownToolSchema) });
export type ShownTools = z.infer<typeof shownToolsSchema>;

export const problemSchema = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  detail: z.string().optional(),
});
