import { randomUUID } from 'node:crypto';
import type { MediaType, OutboxAction } from '#contracts';
import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelCapabilities, ChannelKind } from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import { signingKey } from './signing-key.js';
import { webhookDescription } from './webhook-description.js';
import { WebhookInbound } from './webhook-inbound.js';
import { WebhookOutbound } from './webhook-outbound.js';

export interface WebhookAccountOptions {
  account: string;
  /** Signs both directions. With `whsec_` in front it is base64, as off-the-shelf Standard Webhooks verifiers expect. */
  secret: string;
  /** Where replies are posted. Without it every send is refused. */
  outboundUrl?: string;
  immediateSend?: boolean;
  batch?: boolean;
  /** The receiver drops a repeated Idempotency-Key; default true. */
  dedupe?: boolean;
  /** Which of these the receiver understands; default none, for it would take them for new messages. */
  actions?: readonly OutboxAction['do'][];
  /** The kinds of media it shows; default none. */
  media?: readonly MediaType[];
  /** Text without Markdown, for receivers that show it as it is; default false. */
  plainText?: boolean;
  /** UTF-16 units. */
  maxTextLength?: number;
}

interface WebhookAccountParts {
  clock?: Clock;
  newId?: () => string;
  media?: MediaFetch;
}

/**
 * One generic webhook account, both directions.
 * @throws TerminalError `channel_misconfigured` when the secret is missing or the address malformed
 */
export function webhookAccount(
  options: WebhookAccountOptions,
  { clock = systemClock, newId = randomUUID, media = new MediaFetch() }: WebhookAccountParts = {},
): ChannelAccount {
  const { account, secret, outboundUrl, plainText = false } = options;
  const capabilities = capabilitiesOf(options);
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `Webhook account "${account}": ${what}`);
  };
  const key = signingKey(secret);
  demand(key.length > 0, 'set secret: without it anybody could post messages');
  demand(outboundUrl === undefined || URL.canParse(outboundUrl), 'outboundUrl is not a URL');
  const channel = webhookDescription.name;
  const url = outboundUrl === undefined ? undefined : new URL(outboundUrl);
  return {
    channel,
    account,
    description: webhookDescription,
    inbound: new WebhookInbound({ channel, account, key, newId }),
    outbound: new WebhookOutbound({ url, key, plainText, clock, capabilities, media }),
  };
}

function capabilitiesOf(options: WebhookAccountOptions): ChannelCapabilities {
  const { capabilities } = webhookDescription;
  const { immediateSend = true, batch = false, dedupe = true, actions = [], media = [] } = options;
  return {
    ...capabilities,
    immediateSend,
    batch,
    dedupe,
    edit: actions.includes('edit'),
    delete: actions.includes('delete'),
    react: actions.includes('react'),
    media,
    maxTextLength: options.maxTextLength ?? capabilities.maxTextLength,
  };
}

export const webhookChannel: ChannelKind<WebhookAccountOptions> = { description: webhookDescription, open: webhookAccount };
