import { z } from 'zod';
import { targetSchema } from './envelope.schema.js';

/**
 * immediate and batched are the message tool's (TO-1); narration is text the model wrote beside tool calls;
 * final is its answer; notice is Turnpike's own word (stopped, failed).
 */
export const deliveryModeSchema = z.enum(['immediate', 'batched', 'narration', 'final', 'notice']);
export type DeliveryMode = z.infer<typeof deliveryModeSchema>;

/** Offers a reply: whoever presses it sends `data`, at most 64 bytes (what Telegram takes), as a message. */
export const buttonSchema = z.object({ text: z.string(), data: z.string() });
export type Button = z.infer<typeof buttonSchema>;

/** What leaves a session: stored by a fenced step or commit, then relayed to the delivery lane (protocol 3). */
const outboxRowSchema = z.object({
  v: z.literal(1),
  /** `<turn>-<n>` */
  id: z.string(),
  tenant: z.string(),
  session: z.string(),
  turn: z.string(),
  /** sequenceInTurn, from 1: the order in which the agent emitted it. */
  n: z.number(),
  mode: deliveryModeSchema,
  fellBack: z.boolean(),
  target: targetSchema,
  text: z.string(),
  /** Shown where the channel has them; the text says how to answer without. */
  buttons: z.array(buttonSchema).optional(),
  /** Redis time of the emission, ms. */
  at: z.number(),
  /** The process that waits for the receipt, if any. */
  notify: z.string().optional(),
});
export type OutboxRow = z.infer<typeof outboxRowSchema>;
