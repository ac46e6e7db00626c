import { z } from 'zod';
import { outboxRowSchema } from './outbox.schema.js';

/** A delivery that was given up, until somebody sends it again or it is forgotten. */
export const deadLetterSchema = z.object({
  row: outboxRowSchema,
  reason: z.string(),
  /** `unknown`: it may have arrived. */
  state: z.enum(['dead', 'unknown']),
  /** What a delivery of it begins with: the parts that arrived are not sent again (DeliveryState). */
  progress: z.string(),
  /** Platform ids of the parts that arrived. */
  platformIds: z.array(z.string()),
  /** Redis time at which it was given up, ms. */
  at: z.number(),
});
export type DeadLetter = z.infer<typeof deadLetterSchema>;

/** What became of a letter that was sent again. */
export const replaySchema = z.object({
  /** The row that is sent in its place. */
  row: z.string(),
  /** Redis time, ms. */
  at: z.number(),
});
export type Replay = z.infer<typeof replaySchema>;
