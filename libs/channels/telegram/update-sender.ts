import type { InboundEvent } from '#contracts';
import type { BotIdentity } from './bot-mention.js';
import type { TelegramChat, TelegramMessage, TelegramUser } from './update.schema.js';

type Sender = Pick<InboundEvent, 'sender' | 'senderUsername' | 'fromSelf'>;

/** Who speaks as a group or a channel has a placeholder bot in `from`; it must not look like a bot. */
export function senderOf({ sender_chat: group, from, chat }: TelegramMessage, bot: BotIdentity): Sender {
  return !group && from ? person(from, bot) : place(group ?? chat);
}

export function person(user: TelegramUser, bot: BotIdentity): Sender {
  return {
    sender: { id: String(user.id), name: nameOf(user), isBot: user.is_bot },
    ...(user.username !== undefined && { senderUsername: user.username }),
    fromSelf: user.id === bot.id,
  };
}

/** What a message answers, if anything: id, and the words where Telegram repeats some. */
export function quoteOf(message: TelegramMessage): Pick<InboundEvent, 'replyTo' | 'quoted'> {
  const { reply_to_message: reply, quote, is_topic_message, message_thread_id } = message;
  // In a topic whoever quotes nothing still "replies" to the service message that opened it.
  if (!reply || (is_topic_message && reply.message_id === message_thread_id)) return { replyTo: null };
  const replyTo = String(reply.message_id);
  const text = quote?.text ?? reply.text ?? reply.caption;
  if (text === undefined) return { replyTo };
  const author = reply.sender_chat?.title ?? (reply.from && nameOf(reply.from));
  return { replyTo, quoted: { sender: author ?? null, text } };
}

/** Who speaks as a group or a channel. */
export function place(chat: TelegramChat): Sender {
  return {
    sender: { id: String(chat.id), name: chat.title ?? null, isBot: false },
    ...(chat.username !== undefined && { senderUsername: chat.username }),
  };
}

function nameOf({ first_name, last_name }: TelegramUser): string {
  return [first_name, last_name].filter(Boolean).join(' ');
}
