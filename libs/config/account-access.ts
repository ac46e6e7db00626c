import type { z } from 'zod';
import type { accountAccessSchema } from './access.schema.js';
import { channelSection } from './channels.schema.js';
import type { Config } from './config.schema.js';
import { tenantConfig } from './tenants.js';

type Options = z.output<typeof accountAccessSchema>;

const chatDefaults = {
  dmPolicy: 'pairing',
  allowFrom: [],
  groupPolicy: 'allowlist',
  groups: {},
  requireMention: true,
  mentionPatterns: [],
  historyLimit: 50,
  bots: 'ignore',
} satisfies Options;

/** Whoever posts to a webhook holds its secret and has decided already who is heard. */
const webhookDefaults = { ...chatDefaults, dmPolicy: 'open', groupPolicy: 'open', requireMention: false } satisfies Options;

/**
 * Access of one account with nothing left to default: each option from the account, else its channel, else its tenant. An account
 * that is configured no more lets nobody in but who was approved.
 */
export function accountAccess(config: Config, tenant: string, channel: string, account: string) {
  const { access, channels } = tenantConfig(config, tenant) ?? {};
  const isWebhook = channel === 'generic';
  const ofChannel = channels && channelSection(channels, channel);
  const accounts = ofChannel?.accounts ?? {};
  const own = Object.hasOwn(accounts, account) ? accounts[account]?.access : undefined;
  return { owners: [], ...(isWebhook ? webhookDefaults : chatDefaults), ...access, ...ofChannel?.access, ...own };
}
