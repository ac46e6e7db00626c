import {
  ChannelRegistry,
  feishuChannel,
  discordChannel,
  slackChannel,
  telegramChannel,
  webchatAccount,
  webchatDescription,
  webhookChannel,
  whatsappChannel,
  type ChannelAccount,
  type ChannelDescription,
  type ChannelKind,
} from '#channels';
import { accountSectionNames, tenantsOf, type AccountConfigs, type AccountSection, type Config } from '#config';
import type { EventLog } from '#sessions';

/** Every channel that has accounts of its own, by its section of the configuration: one line each. */
const KINDS: { readonly [S in AccountSection]: ChannelKind<AccountConfigs[S] & { account: string }> } = {
  feishu: feishuChannel,
  telegram: telegramChannel,
  slack: slackChannel,
  discord: discordChannel,
  webhook: webhookChannel,
  whatsapp: whatsappChannel,
};

/** Every channel that is built in (OUT-2). */
export const CHANNEL_DESCRIPTIONS: readonly ChannelDescription[] = [
  webchatDescription,
  ...Object.values(KINDS).map(({ description }) => description),
];

/** The configured accounts of every channel and tenant: ingress takes messages from them, the runner asks what they can, the dispatcher sends. */
export function channelsOf(config: Config, events: EventLog, added: readonly ChannelAccount[]): ChannelRegistry {
  const configured = tenantsOf(config).flatMap(({ tenant: { channels } }) =>
    accountSectionNames.flatMap((section) => opened(section, channels[section].accounts)),
  );
  const webchat = webchatAccount({ account: 'default', append: (row) => events.appendMessage(row) });
  return new ChannelRegistry([...configured, webchat, ...added]);
}

function opened<S extends AccountSection>(section: S, accounts: Record<string, AccountConfigs[S]>): ChannelAccount[] {
  return Object.entries(accounts).map(([account, options]) => ({
    ...KINDS[section].open({ ...options, account }),
    ...(options.rates && { rates: options.rates }),
    ...('streaming' in options && { streams: options.streaming === 'partial' }),
  }));
}
