import type { ChannelDescription } from '../channel-port.js';

export const telegramDescription: ChannelDescription = {
  name: 'telegram',
  title: 'Telegram',
  capabilities: {
    immediateSend: true,
    batch: false,
    dedupe: false,
    threads: true,
    reply: true,
    edit: true,
    delete: true,
    react: true,
    buttons: 100,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: true,
    stream: 'native',
    /** "1-4096 characters after entities parsing". */
    maxTextLength: 4096,
    lengthUnit: 'utf16',
  },
  dedupeId: 'update_id',
  /** Updates are kept for 24 hours. */
  retryWindowMs: 86_400_000,
  notes: [
    'Threads are the topics of a forum.',
    'Reactions are of the emoji that Telegram has for it.',
    'An edited message stays one: 4,096 characters, 1,024 below a file.',
    'With `streaming`, people see answers as they are written: in private chats a draft, in groups a message that is edited.',
    'A message older than 48 hours can no longer be deleted.',
  ],
};
