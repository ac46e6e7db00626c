import type { ChannelDescription } from '../channel-port.js';
import { MOST_BUTTONS } from './interactive.js';
import { MAX_TEXT } from './whatsapp-messages.js';

export const whatsappDescription: ChannelDescription = {
  name: 'whatsapp',
  title: 'WhatsApp Cloud API',
  capabilities: {
    immediateSend: true,
    /** With one message in six seconds to a person, what may wait is better sent in one. */
    batch: true,
    dedupe: false,
    threads: false,
    reply: true,
    edit: false,
    delete: false,
    react: true,
    buttons: MOST_BUTTONS,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: true,
    stream: 'none',
    maxTextLength: MAX_TEXT,
    lengthUnit: 'utf16',
  },
  /** Of a healthy webhook: "median latency not exceeding 250 ms, less than 1 % over 1 s". */
  ackDeadlineMs: 1_000,
  dedupeId: 'wamid',
  /** Up to 7 days, with growing pauses. */
  retryWindowMs: 7 * 86_400_000,
  replyWindowMs: 86_400_000,
  notes: [
    'Free text goes only to people who wrote within the last 24 hours; later only a template.',
    'One message in 6 seconds to one person, 80 a second from one number.',
    'Up to 3 short choices are buttons, up to 10 a list.',
  ],
};
