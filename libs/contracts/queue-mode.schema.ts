import { z } from 'zod';

/** What a message does that comes while a turn of its session runs (QU-2). */
export const queueModeSchema = z.enum(['steer', 'followup', 'collect', 'interrupt', 'reject']);
export type QueueMode = z.infer<typeof queueModeSchema>;

/**
 * A mode as people write it. LangGraph's `enqueue` is `followup`. Its `rollback` is no mode here: what a turn has said and done
 * cannot be taken back, so `interrupt`, which keeps it, is the nearest.
 */
export const queueModeNameSchema = z
  .enum([...queueModeSchema.options, 'enqueue'])
  .transform((name): QueueMode => (name === 'enqueue' ? 'followup' : name));

/** Who goes when more messages wait than may; `summarize` drops the oldest and keeps a line of each. */
export const dropPolicySchema = z.enum(['summarize', 'old', 'new']);
export type DropPolicy = z.infer<typeof dropPolicySchema>;
