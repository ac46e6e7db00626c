import { z } from 'zod';
import { targetSchema } from './envelope.schema.js';

/**
 * immediate and batched are the message tool's (TO-1); narration is text the model wrote beside tool calls;
 * final is its answer; notice is Turnpike's own word (stopped, failed).
 */
export const deliveryModeSchema = z.enum(['immediate', 'batched', 'narration', 'final', 'notice']);
export type DeliveryMode = z.infer<typeof deliveryModeSchema>;

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
  /** Redis time of the emission, ms. */
  at: z.number(),
  /** The process that waits for the receipt, if any. */
  notify: z.string().optional(),
});
export type OutboxRow = z.infer<typeof outboxRowSchema>;
