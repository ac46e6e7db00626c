import { z } from 'zod';
import { dropPolicySchema, queueModeNameSchema, type QueueMode } from '#contracts';
import { ms, nameSchema } from './option-types.js';

/** Programs and the web chat send whole messages; people in chats send a thought in pieces. */
const PROGRAM_CHANNEL = 'webchat';
const windowMs = ms(0, 60_000);

/** What happens to messages that come while a session is busy (QU-2). */
export const sessionQueueSchema = z.strictObject({
  mode: queueModeNameSchema
    .prefault('followup')
    .describe('Of a message that comes while a turn runs; enqueue = followup; instead of a rollback: interrupt'),
  byChannel: z.record(nameSchema, queueModeNameSchema).default({}).describe('The same for one channel'),
  debounceMs: windowMs.default(500).describe('Wait this long for more texts before a turn starts, ms; 0 = do not wait'),
  debounceMsByChannel: z
    .record(nameSchema, windowMs)
    .default({})
    .describe('The same for one channel; webchat: 0 unless set here'),
  cap: z.int().min(0).max(10_000).default(20).describe('Messages of one session that may wait for a turn; 0 = unlimited'),
  hardCap: z.int().min(1).max(1_000_000).default(1000).describe('Waiting messages above which new ones are refused'),
  drop: dropPolicySchema.default('summarize').describe('Which go when more than `cap` wait'),
});
export type SessionQueueConfig = z.output<typeof sessionQueueSchema>;

/** How one channel's messages queue. */
export interface ChannelQueue {
  mode: QueueMode;
  debounceMs: number;
  hardCap: number;
}

export function channelQueue(queue: SessionQueueConfig, channel: string): ChannelQueue {
  const { mode, byChannel, debounceMs, debounceMsByChannel, hardCap } = queue;
  return {
    mode: byChannel[channel] ?? mode,
    debounceMs: debounceMsByChannel[channel] ?? (channel === PROGRAM_CHANNEL ? 0 : debounceMs),
    hardCap,
  };
}
