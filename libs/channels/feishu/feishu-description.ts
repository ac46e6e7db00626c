import type { ChannelDescription } from '../channel-port.js';
import { MAX_TEXT, MOST_BUTTONS } from './feishu-messages.js';

export const feishuDescription: ChannelDescription = {
  name: 'feishu',
  title: 'Feishu / Lark',
  capabilities: {
    immediateSend: true,
    batch: false,
    /** By `uuid`, for an hour. */
    dedupe: true,
    threads: true,
    reply: true,
    edit: true,
    delete: true,
    react: true,
    buttons: MOST_BUTTONS,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: false,
    stream: 'none',
    maxTextLength: MAX_TEXT,
    lengthUnit: 'bytes',
  },
  ackDeadlineMs: 3_000,
  dedupeId: 'message_id, else event_id',
  /** After 15 s, 5 min, 1 h and 6 h: 7.1 hours in all. */
  retryWindowMs: 8 * 3_600_000,
  notes: [
    'Threads are topics.',
    'Messages with buttons are cards.',
    'Files are fetched and uploaded: images up to 10 MB, others up to 30 MB.',
  ],
};
