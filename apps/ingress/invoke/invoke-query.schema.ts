import { z } from 'zod';

/** The query of invoke. */
export const invokeQuerySchema = z.strictObject({
  /** What a client that hangs up before the answer does to its turn. */
  onDisconnect: z.enum(['continue', 'cancel']).default('continue'),
  /** Read by LastEventId, with the header of that name. */
  lastEventId: z.string().optional(),
});
export type InvokeQuery = z.output<typeof invokeQuerySchema>;
