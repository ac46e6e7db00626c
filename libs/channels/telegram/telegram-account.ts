import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelKind } from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import { ForumChats } from './forum-chats.js';
import { telegramDescription } from './telegram-description.js';
import { TelegramInbound } from './telegram-inbound.js';
import { TelegramOutbound } from './telegram-outbound.js';

export interface TelegramAccountOptions {
  account: string;
  /** From @BotFather. */
  botToken: string;
  /** Given to setWebhook as `secret_token`: 1 to 256 of A-Z a-z 0-9 _ - */
  secretToken: string;
  apiRoot?: string;
  /** Without @; needed to see mentions in groups. */
  botUsername?: string;
}

/**
 * One Telegram bot by webhook.
 * @throws TerminalError `channel_misconfigured` when a secret or the address is missing or malformed
 */
export function telegramAccount(
  options: TelegramAccountOptions,
  { clock = systemClock, media = new MediaFetch() }: { clock?: Clock; media?: MediaFetch } = {},
): ChannelAccount {
  const { account, botToken, secretToken, apiRoot = 'https://api.telegram.org', botUsername } = options;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `Telegram account "${account}": ${what}`);
  };
  demand(/^[\w-]{1,256}$/.test(secretToken), 'set secretToken (1 to 256 of A-Z a-z 0-9 _ -) and give the same to setWebhook');
  demand(/^[\w:-]+$/.test(botToken), 'set botToken to the token from @BotFather');
  demand(URL.canParse(apiRoot), 'apiRoot is not a URL');
  const channel = telegramDescription.name;
  const bot = { id: Number.parseInt(botToken, 10), username: botUsername };
  const forums = new ForumChats();
  return {
    channel,
    account,
    description: telegramDescription,
    inbound: new TelegramInbound({ channel, account, secretToken, bot, forums }),
    outbound: new TelegramOutbound({ apiRoot, botToken, clock, forums, media }),
  };
}

export const telegramChannel: ChannelKind<TelegramAccountOptions> = { description: telegramDescription, open: telegramAccount };
