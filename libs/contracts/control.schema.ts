import { z } from 'zod';

/** Names its target, so that a late or repeated cancel cannot hit the next turn (protocol 3). */
export const cancelTargetSchema = z.union([
  z.object({ turn: z.string() }),
  /** Everything accepted before this sequence, running or waiting. */
  z.object({ before: z.number() }),
]);
export type CancelTarget = z.infer<typeof cancelTargetSchema>;

/** Best-effort hints between processes; the durable truth is what `begin` and `step` read (protocol 5). */
export const CONTROL = {
  cancel: 'turnpike.cancel',
  steer: 'turnpike.steer',
  configChanged: 'turnpike.config.changed',
  catalogChanged: 'turnpike.catalog.changed',
} as const;

export interface CancelHint {
  session: string;
  target: CancelTarget;
}
