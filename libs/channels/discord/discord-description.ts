import type { ChannelDescription } from '../channel-port.js';

/** https://docs.discord.com/developers, read in 2026. */
export const discordDescription: ChannelDescription = {
  name: 'discord',
  title: 'Discord',
  capabilities: {
    immediateSend: true,
    batch: false,
    // By nonce, for a few minutes after the first try.
    dedupe: true,
    threads: true,
    reply: true,
    edit: true,
    delete: true,
    react: true,
    buttons: 25,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: [],
    typing: true,
    placeholder: true,
    stream: 'edit',
    maxTextLength: 2000,
    lengthUnit: 'utf16',
  },
  ackDeadlineMs: 3000,
  dedupeId: 'id of the interaction',
  // Discord sends an interaction once; whoever repeats one within this time is refused by its timestamp or known by its id.
  retryWindowMs: 900_000,
  notes: [
    'With `streaming`, people see answers as they are written: a message that is edited.',
    'Hears slash commands and buttons, which come by webhook. Ordinary messages come by the gateway only, and are not heard yet.',
    'Messages are dropped as repeated for a few minutes; a copy sent later than that would be seen.',
  ],
};
