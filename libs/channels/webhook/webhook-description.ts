import type { ChannelDescription } from '../channel-port.js';

export const webhookDescription: ChannelDescription = {
  name: 'generic',
  title: 'Generic webhook',
  capabilities: {
    immediateSend: true,
    batch: true,
    dedupe: true,
    threads: true,
    reply: true,
    edit: false,
    delete: false,
    react: false,
    buttons: 100,
    media: [],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: false,
    stream: 'none',
    maxTextLength: 100_000,
    lengthUnit: 'utf16',
  },
  dedupeId: 'id',
  /** Nobody knows who sends, so as long as we remember anybody. */
  retryWindowMs: 86_400_000,
  notes: ['Immediate sends, batching, deduplication and the text limit are what the account says of its receiver.'],
};
