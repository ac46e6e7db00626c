import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelKind } from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import { DiscordApi } from './discord-api.js';
import { discordDescription } from './discord-description.js';
import { DiscordInbound } from './discord-inbound.js';
import { DiscordOutbound } from './discord-outbound.js';
import { discordKey } from './discord-signature.js';

export interface DiscordAccountOptions {
  account: string;
  /** "Application ID" of the application, and so the user id of its bot. */
  applicationId: string;
  /** "Public Key" of the application, 64 hex digits. */
  publicKey: string;
  /** "Token" of its bot. */
  botToken: string;
  apiRoot?: string;
}

/**
 * One Discord application with its bot.
 * @throws TerminalError `channel_misconfigured` when a key, a token or the address is missing or malformed
 */
export function discordAccount(options: DiscordAccountOptions, { clock = systemClock }: { clock?: Clock } = {}): ChannelAccount {
  const { account, applicationId, publicKey, botToken, apiRoot = 'https://discord.com/api/v10' } = options;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `Discord account "${account}": ${what}`);
  };
  demand(
    /^[0-9a-f]{64}$/i.test(publicKey),
    'set publicKey to the 64 hex digits of the Public Key: without it anybody could post',
  );
  demand(/^\d{1,20}$/.test(applicationId), 'set applicationId to the digits of the Application ID');
  demand(/^[\w.-]+$/.test(botToken), 'set botToken to the Token of the bot');
  demand(URL.canParse(apiRoot), 'apiRoot is not a URL');
  const channel = discordDescription.name;
  const fetcher = new MediaFetch({ trustedOrigins: [new URL(apiRoot).origin] });
  const api = new DiscordApi({ apiRoot, botToken, clock });
  return {
    channel,
    account,
    description: discordDescription,
    inbound: new DiscordInbound({ channel, account, key: discordKey(publicKey), clock }),
    outbound: new DiscordOutbound({ api, fetcher, applicationId, clock }),
  };
}

export const discordChannel: ChannelKind<DiscordAccountOptions> = { description: discordDescription, open: discordAccount };
