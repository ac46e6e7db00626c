import { ChannelRegistry, telegramAccount, webchatAccount, webhookAccount, type ChannelAccount } from '#channels';
import type { ChannelsConfig } from '#config';
import type { EventLog } from '#sessions';

/** The configured accounts of every channel: ingress takes messages from them, the runner asks what they can, the dispatcher sends. */
export function channelsOf(config: ChannelsConfig, events: EventLog, added: readonly ChannelAccount[]): ChannelRegistry {
  const telegram = Object.entries(config.telegram.accounts).map(([account, options]) => telegramAccount({ account, ...options }));
  const webhook = Object.entries(config.webhook.accounts).map(([account, options]) => webhookAccount({ account, ...options }));
  const webchat = webchatAccount({ account: 'default', append: (row) => events.appendMessage(row) });
  return new ChannelRegistry([...telegram, ...webhook, webchat, ...added]);
}
