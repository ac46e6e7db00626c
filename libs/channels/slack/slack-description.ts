import type { ChannelDescription } from '../channel-port.js';

/** https://docs.slack.dev/apis/events-api, /messaging, /block-kit, read in 2026. */
export const slackDescription: ChannelDescription = {
  name: 'slack',
  title: 'Slack',
  capabilities: {
    immediateSend: true,
    batch: false,
    dedupe: false,
    threads: true,
    reply: false,
    edit: true,
    delete: true,
    react: true,
    buttons: 25,
    media: ['image', 'audio', 'video', 'file'],
    mediaIn: ['image', 'audio', 'video', 'file'],
    typing: false,
    stream: 'native',
    // Of one section block; a message without blocks may have 4,000.
    maxTextLength: 3000,
    lengthUnit: 'utf16',
  },
  ackDeadlineMs: 3000,
  dedupeId: 'channel and ts of the message; action_ts of a pressed button',
  // Three retries within minutes; with "delayed events" switched on in the app, once an hour for a day.
  retryWindowMs: 86_400_000,
  notes: [
    'With `streaming`, people see answers as they are written: a stream of Slack in threads of direct messages, elsewhere a message that is edited.',
    'One account is one app in one workspace.',
    'Commands are written to the bot with a mention or a blank in front, since Slack keeps a leading slash for itself.',
  ],
};
