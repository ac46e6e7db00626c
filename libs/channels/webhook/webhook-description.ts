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
    edit: true,
    delete: true,
    react: true,
    buttons: 100,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: false,
    stream: 'none',
    maxTextLength: 100_000,
    lengthUnit: 'utf16',
  },
  dedupeId: 'id',
  /** Nobody knows who sends, so as long as we remember anybody. */
  retryWindowMs: 86_400_000,
  notes: [
    'What is not plain text is what the account says of its receiver: immediate sends, batching, deduplication, actions, media and the text limit.',
  ],
};
