import { ChannelRegistry, telegramAccount, webchatAccount, webhookAccount, type ChannelAccount } from '#channels';
import { tenantsOf, type Config, type TenantConfig } from '#config';
import type { EventLog } from '#sessions';

/** The configured accounts of every channel and tenant: ingress takes messages from them, the runner asks what they can, the dispatcher sends. */
export function channelsOf(config: Config, events: EventLog, added: readonly ChannelAccount[]): ChannelRegistry {
  const webchat = webchatAccount({ account: 'default', append: (row) => events.appendMessage(row) });
  return new ChannelRegistry([...tenantsOf(config).flatMap(({ tenant }) => configured(tenant)), webchat, ...added]);
}

function configured({ channels: { telegram, webhook } }: TenantConfig): ChannelAccount[] {
  return [
    ...Object.entries(telegram.accounts).map(([account, options]) => telegramAccount({ account, ...options })),
    ...Object.entries(webhook.accounts).map(([account, options]) => webhookAccount({ account, ...options })),
  ];
}
