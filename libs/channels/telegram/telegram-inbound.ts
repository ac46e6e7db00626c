import type { InboundEvent } from '#contracts';
import type { InboundChannel, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { readJson } from '../json-body.js';
import { mentionsBot, type BotIdentity } from './bot-mention.js';
import type { ForumChats } from './forum-chats.js';
import { mediaOf } from './update-media.js';
import { person, place, quoteOf, senderOf } from './update-sender.js';
import {
  updateSchema,
  type TelegramChat,
  type TelegramMessage,
  type TelegramPlace,
  type TelegramReaction,
  type TelegramUpdate,
} from './update.schema.js';

interface TelegramInboundOptions {
  channel: string;
  account: string;
  secretToken: string;
  bot: BotIdentity;
  /** Told of each forum that is heard of. */
  forums: ForumChats;
}

/** Webhook half of one bot, after https://core.telegram.org/bots/api#update. */
export class TelegramInbound implements InboundChannel {
  constructor(private readonly options: TelegramInboundOptions) {}

  /** Telegram signs nothing; it repeats the secret that was given to setWebhook. */
  verify({ headers }: WebhookRequest) {
    const given = headers['x-telegram-bot-api-secret-token'];
    if (given === undefined) return { ok: false as const, reason: 'x-telegram-bot-api-secret-token is missing' };
    if (equalInConstantTime(this.options.secretToken, given)) return { ok: true as const };
    return { ok: false as const, reason: 'x-telegram-bot-api-secret-token is not the configured secretToken' };
  }

  parse(request: WebhookRequest): InboundEvent[] {
    const update = readJson(request, updateSchema);
    const event = this.eventOf(update);
    return event
      ? [{ ...event, channel: this.options.channel, account: this.options.account, eventId: String(update.update_id) }]
      : [];
  }

  /** A pressed button shows a spinner until it is answered, and Telegram takes a method call as the body of our 2xx. */
  acknowledgement(request: WebhookRequest) {
    const query = readJson(request, updateSchema).callback_query;
    return query && { method: 'answerCallbackQuery', callback_query_id: query.id };
  }

  private eventOf(update: TelegramUpdate): PlatformEvent | undefined {
    const { callback_query: query, my_chat_member: member, message_reaction: reaction } = update;
    const message = update.message ?? update.channel_post;
    const edited = update.edited_message ?? update.edited_channel_post;
    if (message) return this.messageEvent(message, { kind: 'message', edit: 0, at: message.date * 1000, startsTurn: true });
    if (edited) {
      const edit = edited.edit_date ?? edited.date;
      return this.messageEvent(edited, { kind: 'edit', edit, at: edit * 1000, startsTurn: false });
    }
    if (query?.message && query.data !== undefined) {
      return {
        ...inPlace(query.message),
        ...bare,
        kind: 'callback',
        ...person(query.from, this.options.bot),
        text: query.data,
        // The button's message has a date, but not the press.
        at: null,
        startsTurn: true,
      };
    }
    if (reaction) return this.reactionEvent(reaction);
    if (!member) return undefined;
    return {
      ...inChat(member.chat),
      ...bare,
      kind: 'system',
      ...person(member.from, this.options.bot),
      at: member.date * 1000,
      startsTurn: false,
    };
  }

  /** Nobody says in which topic it is: a reaction belongs to its chat. */
  private reactionEvent({ chat, message_id, user, actor_chat, date, new_reaction }: TelegramReaction): PlatformEvent {
    return {
      ...inChat(chat),
      ...bare,
      ...(user ? person(user, this.options.bot) : place(actor_chat ?? chat)),
      kind: 'reaction',
      messageId: String(message_id),
      // A reaction of one's own making or a paid one has no emoji.
      text: new_reaction.map(({ emoji = '(custom)' }) => emoji).join(' '),
      at: date * 1000,
      startsTurn: false,
    };
  }

  private messageEvent(
    message: TelegramMessage,
    version: Pick<InboundEvent, 'kind' | 'edit' | 'at' | 'startsTurn'>,
  ): PlatformEvent | undefined {
    this.options.forums.note(message.chat);
    const media = mediaOf(message);
    const text = message.text ?? message.caption;
    // A join, a pin, a poll ...: nothing that can be answered.
    if (text === undefined && media.length === 0) return undefined;
    return {
      ...inPlace(message),
      ...version,
      ...senderOf(message, this.options.bot),
      text: text ?? '',
      media,
      ...quoteOf(message),
      mentionsBot: mentionsBot(message, this.options.bot),
      ...(message.media_group_id !== undefined && { groupKey: message.media_group_id }),
    };
  }
}

type PlatformEvent = Omit<InboundEvent, 'channel' | 'account' | 'eventId'>;

const bare = { edit: 0, text: null, media: [], replyTo: null, mentionsBot: false } satisfies Partial<PlatformEvent>;

function inChat(chat: TelegramChat) {
  const chatType: InboundEvent['chatType'] = chat.type === 'private' ? 'direct' : chat.type === 'channel' ? 'channel' : 'group';
  const place = { conversation: String(chat.id), chatType, thread: null, messageId: null };
  return chat.title === undefined ? place : { ...place, title: chat.title };
}

/** A thread id without `is_topic_message` is a chain of replies in an ordinary group, not a topic. */
function inPlace({ chat, message_id, message_thread_id, is_topic_message }: TelegramPlace) {
  const place = { ...inChat(chat), messageId: String(message_id) };
  if (!is_topic_message || message_thread_id === undefined) return place;
  return { ...place, thread: String(message_thread_id), parent: place.conversation };
}
