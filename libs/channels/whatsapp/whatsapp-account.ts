import { systemClock, TerminalError, type Clock } from '#kernel';
import type { ChannelAccount, ChannelKind } from '../channel-port.js';
import { MediaFetch } from '../media/media-fetch.js';
import { whatsappDescription } from './whatsapp-description.js';
import { WhatsAppInbound } from './whatsapp-inbound.js';
import { WhatsAppMedia } from './whatsapp-media.js';
import { WhatsAppOutbound } from './whatsapp-outbound.js';
import type { WhatsAppTemplate } from './template.js';

export interface WhatsAppAccountOptions {
  account: string;
  /** Of the business number, as the app's page shows it: not the number itself. */
  phoneNumberId: string;
  /** Of a system user, with whatsapp_business_messaging. */
  accessToken: string;
  /** Meta signs its notifications with it. */
  appSecret: string;
  /** Typed in beside the webhook's address; Meta repeats it when it checks the address. */
  verifyToken: string;
  apiRoot?: string;
  apiVersion?: string;
  template?: WhatsAppTemplate | undefined;
}

/**
 * One business number of the WhatsApp Cloud API.
 * @throws TerminalError `channel_misconfigured` when a secret or the address is missing or malformed
 */
export function whatsappAccount(
  options: WhatsAppAccountOptions,
  { clock = systemClock }: { clock?: Clock } = {},
): ChannelAccount {
  const { account, phoneNumberId, accessToken, appSecret, verifyToken, template } = options;
  const { apiRoot = 'https://graph.facebook.com', apiVersion = 'v23.0' } = options;
  const demand = (holds: boolean, what: string) => {
    if (!holds) throw new TerminalError('channel_misconfigured', `WhatsApp account "${account}": ${what}`);
  };
  demand(appSecret !== '', 'set appSecret: without it anybody could post messages');
  demand(verifyToken !== '', 'set verifyToken, and give the same to the webhook in the app');
  demand(/^\d+$/.test(phoneNumberId), 'set phoneNumberId to the id of the number (digits), not the number');
  demand(/^\S+$/.test(accessToken), 'set accessToken to the token of a system user');
  demand(URL.canParse(apiRoot), 'apiRoot is not a URL');
  const channel = whatsappDescription.name;
  const graphUrl = `${apiRoot.replace(/\/+$/, '')}/${apiVersion}`;
  const number = { graphUrl, phoneNumberId, accessToken };
  const media = new WhatsAppMedia({ ...number, clock, media: new MediaFetch({ trustedOrigins: [new URL(apiRoot).origin] }) });
  return {
    channel,
    account,
    description: whatsappDescription,
    inbound: new WhatsAppInbound({ channel, account, phoneNumberId, appSecret, verifyToken }),
    outbound: new WhatsAppOutbound({ ...number, template, media }),
  };
}

export const whatsappChannel: ChannelKind<WhatsAppAccountOptions> = { description: whatsappDescription, open: whatsappAccount };
