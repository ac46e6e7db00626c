import type { InboundEvent, Media } from '#contracts';
import type { SlackChanged, SlackMessage, SlackRequest, SlackSaid } from './event.schema.js';
import { mentions, readSlackText } from './slack-text.js';

/** Who "we" are, as the request itself says. */
export interface SlackSelf {
  app: string | undefined;
  /** User id of the bot. */
  bot: string | undefined;
  team: string | undefined;
  /** A message in a channel begins a thread, which is answered in it. */
  replyInThread: boolean;
}

type SlackEvent = Omit<InboundEvent, 'channel' | 'account'>;
type Place = { channel: string; channel_type?: string | undefined };

export function selfOf({ api_app_id, authorizations, team_id }: SlackRequest, replyInThread: boolean): SlackSelf {
  const bot = authorizations?.find(({ is_bot }) => is_bot)?.user_id;
  return { app: api_app_id, bot, team: team_id, replyInThread };
}

/**
 * A message is named by its channel and `ts`: a mention is posted twice, as `app_mention` and as `message`, each with an
 * `event_id` of its own, and retries repeat both. undefined: nothing that can be answered.
 */
export function saidEvent(said: SlackSaid, self: SlackSelf): SlackEvent | undefined {
  const content = contentOf(said, self);
  if (!content) return undefined;
  return {
    ...placeOf(said, said, self),
    ...content,
    kind: 'message',
    eventId: said.ts,
    edit: 0,
    at: ms(said.ts),
    startsTurn: true,
  };
}

/** undefined where the words are the same: a link was unfurled, a thread got its first reply. */
export function changedEvent({ message, previous_message, ...place }: SlackChanged, self: SlackSelf): SlackEvent | undefined {
  const content = contentOf(message, self);
  if (!content || !message.edited || previous_message?.text === message.text) return undefined;
  return {
    ...placeOf(place, message, self),
    ...content,
    kind: 'edit',
    eventId: message.ts,
    edit: Math.round(Number(message.edited.ts) * 1_000_000),
    at: ms(message.edited.ts),
    startsTurn: false,
  };
}

/** Multi-person chats are channels too: `app_mention` does not say which of the two it comes from. */
export function chatTypeOf({ channel, channel_type }: Place): InboundEvent['chatType'] {
  return channel_type === 'im' || channel.startsWith('D') ? 'direct' : 'channel';
}

/** Slack's times are seconds with six decimals. */
export function ms(ts: string): number {
  return Math.floor(Number(ts) * 1000);
}

/** A thread is named by the `ts` of the message it hangs on, never by that of a reply. */
function placeOf(place: Place, { ts, thread_ts }: SlackMessage, { team, replyInThread }: SlackSelf) {
  const chatType = chatTypeOf(place);
  const thread = thread_ts ?? (replyInThread && chatType === 'channel' ? ts : null);
  return {
    conversation: place.channel,
    chatType,
    thread,
    messageId: ts,
    replyTo: null,
    ...(thread !== null && { parent: place.channel }),
    ...(team !== undefined && { team }),
  };
}

function contentOf(message: SlackMessage, { app, bot }: SlackSelf) {
  const { user, bot_id, text, parent_user_id, files } = message;
  const id = user ?? bot_id;
  const media = files.filter(({ mode }) => mode !== 'tombstone').map(mediaOf);
  if (id === undefined || (text === '' && media.length === 0)) return undefined;
  const itsApp = message.app_id ?? message.bot_profile?.app_id;
  return {
    sender: { id, name: nameOf(message), isBot: bot_id !== undefined },
    fromSelf: (bot !== undefined && user === bot) || (itsApp !== undefined && itsApp === app),
    text: readSlackText(text, bot),
    media,
    mentionsBot: bot !== undefined && (mentions(text, bot) || parent_user_id === bot),
  };
}

/** Most events name people by their id alone. */
function nameOf({ username, user_profile: profile }: SlackMessage): string | null {
  return username || profile?.display_name || profile?.real_name || null;
}

function mediaOf({ id, name, mimetype, size }: SlackMessage['files'][number]): Media {
  const [kind] = (mimetype ?? '').split('/');
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
  return { type, ref: id, ...(mimetype && { mime: mimetype }), ...(size !== undefined && { size }), ...(name && { name }) };
}
