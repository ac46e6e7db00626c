import { z } from 'zod';

/** `interrupted`: a newer message took its place (queue mode interrupt). */
const cancelReasonSchema = z.enum(['cancelled', 'interrupted']);
export type CancelReason = z.infer<typeof cancelReasonSchema>;

/** Names the turn, so that a late or repeated cancel cannot hit the next one (protocol 3). */
export const cancelHintSchema = z.object({ session: z.string(), turn: z.string(), why: cancelReasonSchema.optional() });
export type CancelHint = z.infer<typeof cancelHintSchema>;

/** Best-effort hints between processes; the durable truth is what `begin` and `step` read (protocol 5). */
export const CONTROL = {
  cancel: 'turnpike.cancel',
  configChanged: 'turnpike.config.changed',
  catalogChanged: 'turnpike.catalog.changed',
} as const;
