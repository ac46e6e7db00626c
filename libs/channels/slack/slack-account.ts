import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelKind } from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import { SlackApi } from './slack-api.js';
import { slackDescription } from './slack-description.js';
import { SlackFiles } from './slack-files.js';
import { SlackInbound } from './slack-inbound.js';
import { SlackOutbound } from './slack-outbound.js';

export interface SlackAccountOptions {
  account: string;
  /** "Bot User OAuth Token", `xoxb-...`. */
  botToken: string;
  /** "Signing Secret" of the app. */
  signingSecret: string;
  apiRoot?: string;
  /** A message in a channel begins a thread, and is answered in it. */
  replyInThread?: boolean;
}

/**
 * One Slack app in one workspace.
 * @throws TerminalError `channel_misconfigured` when a secret or the address is missing or malformed
 */
export function slackAccount(options: SlackAccountOptions, { clock = systemClock }: { clock?: Clock } = {}): ChannelAccount {
  const { account, botToken, signingSecret, apiRoot = 'https://slack.com/api', replyInThread = false } = options;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `Slack account "${account}": ${what}`);
  };
  demand(signingSecret.length >= 16, 'set signingSecret to the Signing Secret of the app: without it anybody could post events');
  demand(/^xox[a-z]-[\w-]+$/.test(botToken), 'set botToken to the Bot User OAuth Token of the app, which begins with xoxb-');
  demand(URL.canParse(apiRoot), 'apiRoot is not a URL');
  const channel = slackDescription.name;
  const fetcher = new MediaFetch({ trustedOrigins: [new URL(apiRoot).origin] });
  const api = new SlackApi({ apiRoot, botToken, clock });
  const files = new SlackFiles({ api, fetcher, botToken, apiRoot, clock });
  return {
    channel,
    account,
    description: slackDescription,
    inbound: new SlackInbound({ channel, account, signingSecret, replyInThread, clock }),
    outbound: new SlackOutbound({ api, files, clock }),
  };
}

export const slackChannel: ChannelKind<SlackAccountOptions> = { description: slackDescription, open: slackAccount };
