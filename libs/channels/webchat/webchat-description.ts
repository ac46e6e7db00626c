import type { ChannelDescription } from '../channel-port.js';

export const webchatDescription: ChannelDescription = {
  name: 'webchat',
  title: 'Web chat and API',
  capabilities: {
    immediateSend: true,
    batch: false,
    dedupe: true,
    threads: false,
    reply: true,
    edit: true,
    delete: true,
    react: true,
    buttons: 100,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: true,
    stream: 'native',
    /** No model answers this much at once; a client is never sent parts it did not expect. */
    maxTextLength: 1_000_000,
    lengthUnit: 'utf16',
  },
  dedupeId: 'the Idempotency-Key of the request, the id of the frame',
  retryWindowMs: 86_400_000,
  notes: ['Sends are events of the session: the page, an SSE stream and a waiting request read the same.'],
};
