import type { TelegramMessage } from './update.schema.js';

/** Who "this bot" is: the id is the first part of its token, the username comes from the configuration. */
export interface BotIdentity {
  id: number;
  /** Without @. */
  username: string | undefined;
}

/** Named by @username, by a link to its profile, by `/command@username`, or answered with a reply. */
export function mentionsBot(message: TelegramMessage, bot: BotIdentity): boolean {
  const author = message.reply_to_message?.from;
  if (author?.is_bot && (author.id === bot.id || isName(author.username, bot))) return true;
  const text = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some(({ type, offset, length, user }) => {
    if (type === 'text_mention') return user !== undefined && user.id === bot.id;
    const named = text.slice(offset, offset + length);
    if (type === 'mention') return isName(named.slice(1), bot);
    return type === 'bot_command' && isName(named.split('@')[1], bot);
  });
}

function isName(username: string | undefined, bot: BotIdentity): boolean {
  return username !== undefined && username.toLowerCase() === bot.username?.toLowerCase();
}
