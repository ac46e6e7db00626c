import type { InboundEvent } from '#contracts';
import type { InboundChannel, WebhookRequest } from '../channel-port.js';
import { equalInConstantTime } from '../constant-time.js';
import { readJson } from '../json-body.js';
import { mentionsBot, type BotIdentity } from './bot-mention.js';
import { mediaOf } from './update-media.js';
import {
  updateSchema,
  type TelegramChat,
  type TelegramMessage,
  type TelegramPlace,
  type TelegramUpdate,
  type TelegramUser,
} from './update.schema.js';

interface TelegramInboundOptions {
  channel: string;
  account: string;
  secretToken: string;
  bot: BotIdentity;
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
    const { message, edited_message: edited, callback_query: query, my_chat_member: member } = update;
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
        sender: person(query.from),
        text: query.data,
        // The button's message has a date, but not the press.
        at: null,
        startsTurn: true,
      };
    }
    if (!member) return undefined;
    return {
      ...inChat(member.chat),
      ...bare,
      kind: 'system',
      sender: person(member.from),
      at: member.date * 1000,
      startsTurn: false,
    };
  }

  private messageEvent(
    message: TelegramMessage,
    version: Pick<InboundEvent, 'kind' | 'edit' | 'at' | 'startsTurn'>,
  ): PlatformEvent | undefined {
    const media = mediaOf(message);
    const text = message.text ?? message.caption;
    // A join, a pin, a poll ...: nothing that can be answered.
    if (text === undefined && media.length === 0) return undefined;
    return {
      ...inPlace(message),
      ...version,
      sender: senderOf(message),
      text: text ?? '',
      media,
      replyTo: quoted(message),
      mentionsBot: mentionsBot(message, this.options.bot),
      ...(message.media_group_id !== undefined && { groupKey: message.media_group_id }),
    };
  }
}

type PlatformEvent = Omit<InboundEvent, 'channel' | 'account' | 'eventId'>;

const bare = { edit: 0, text: null, media: [], replyTo: null, mentionsBot: false } satisfies Partial<PlatformEvent>;

function inChat(chat: TelegramChat) {
  const chatType: InboundEvent['chatType'] = chat.type === 'private' ? 'direct' : chat.type === 'channel' ? 'channel' : 'group';
  return { conversation: String(chat.id), chatType, thread: null, messageId: null };
}

/** A thread id without `is_topic_message` is a chain of replies in an ordinary group, not a topic. */
function inPlace({ chat, message_id, message_thread_id, is_topic_message }: TelegramPlace) {
  const thread = is_topic_message && message_thread_id !== undefined ? String(message_thread_id) : null;
  return { ...inChat(chat), thread, messageId: String(message_id) };
}

function quoted({ reply_to_message: reply, is_topic_message, message_thread_id }: TelegramMessage): string | null {
  if (!reply) return null;
  // In a topic whoever quotes nothing still "replies" to the service message that opened it.
  return is_topic_message && reply.message_id === message_thread_id ? null : String(reply.message_id);
}

/** Who speaks as a group or a channel has a placeholder bot in `from`; it must not look like a bot. */
function senderOf({ sender_chat: group, from, chat }: TelegramMessage): InboundEvent['sender'] {
  if (!group && from) return person(from);
  const speaker = group ?? chat;
  return { id: String(speaker.id), name: speaker.title ?? null, isBot: false };
}

function person(user: TelegramUser): InboundEvent['sender'] {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ');
  return { id: String(user.id), name, isBot: user.is_bot };
}
