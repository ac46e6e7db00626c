import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelKind } from '../channel-port.js';
import { MediaFetch, type MediaFetchOptions } from '../media/media-fetch.js';
import { FeishuApi } from './feishu-api.js';
import { feishuDescription } from './feishu-description.js';
import { FeishuFiles } from './feishu-files.js';
import { FeishuInbound } from './feishu-inbound.js';
import { FeishuOutbound } from './feishu-outbound.js';
import { FeishuVerifier } from './feishu-verifier.js';
import { TenantToken } from './tenant-token.js';

export interface FeishuAccountOptions {
  account: string;
  appId: string;
  appSecret: string;
  verificationToken: string;
  /** Without it events come unsigned, and only the token in them proves where they come from. */
  encryptKey?: string | undefined;
  /** The app's own open_id, to tell a mention of it from others. */
  botOpenId?: string | undefined;
  apiRoot?: string;
}

/**
 * One app of Feishu or Lark.
 * @throws TerminalError `channel_misconfigured` when a secret or the address is missing or malformed
 */
export function feishuAccount(
  options: FeishuAccountOptions,
  { clock = systemClock, media = {} }: { clock?: Clock; media?: MediaFetchOptions } = {},
): ChannelAccount {
  const { account, appId, appSecret, verificationToken, encryptKey, botOpenId, apiRoot = 'https://open.feishu.cn' } = options;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `Feishu account "${account}": ${what}`);
  };
  demand(/^\w+$/.test(appId), 'set appId to the App ID of the app');
  demand(appSecret !== '', 'set appSecret to the App Secret of the app');
  demand(verificationToken !== '', 'set verificationToken: without it anybody could post messages');
  demand(encryptKey !== '', 'encryptKey is empty: leave it out, or give the Encrypt Key of the app');
  demand(URL.canParse(apiRoot), 'apiRoot is not a URL');
  const channel = feishuDescription.name;
  const root = apiRoot.replace(/\/+$/, '');
  const verifier = new FeishuVerifier({ verificationToken, encryptKey }, clock);
  const api = new FeishuApi(root, new TenantToken({ apiRoot: root, appId, appSecret, clock }), clock);
  const fetcher = new MediaFetch({ ...media, trustedOrigins: [...(media.trustedOrigins ?? []), new URL(root).origin] });
  return {
    channel,
    account,
    description: feishuDescription,
    inbound: new FeishuInbound({ channel, account, appId, botOpenId, verifier }),
    outbound: new FeishuOutbound(api, new FeishuFiles(api, fetcher, clock), appId),
  };
}

export const feishuChannel: ChannelKind<FeishuAccountOptions> = { description: feishuDescription, open: feishuAccount };
