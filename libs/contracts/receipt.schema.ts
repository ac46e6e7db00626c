import { z } from 'zod';

/**
 * The final word on one outbox row; absent while it is queued or being sent.
 * `unknown`: the request left and no answer came, on a channel that cannot deduplicate: never sent a second time.
 */
export const receiptSchema = z.object({
  state: z.enum(['sent', 'dead', 'unknown']),
  platformIds: z.array(z.string()),
  /** Redis time, ms. */
  at: z.number(),
  /** A crash may have sent it once before (G5). */
  possibleDuplicate: z.boolean(),
  reason: z.string().optional(),
});
export type Receipt = z.infer<typeof receiptSchema>;
