import { channelSections } from './channels.schema.js';
import type { Config } from './config.schema.js';
import type { TenantConfig } from './tenant.schema.js';
import { tenantsOf } from './tenants.js';

export interface AccountOwner {
  /** As events, URLs and bindings name it. */
  channel: string;
  account: string;
  /** Where the account is in its tenant's sections. */
  path: string;
  /** Of the account's own option. */
  agent: string | undefined;
}

/** Everything a tenant's messages can come from. API and web chat are one account of every tenant. */
export function accountsOf({ channels }: TenantConfig): AccountOwner[] {
  const configured = channelSections(channels).flatMap(({ channel, path, accounts }) =>
    Object.entries(accounts).map(([account, { agent }]) => ({
      channel,
      account,
      path: `${path}.accounts.${account}`,
      agent,
    })),
  );
  const { agent } = channels.webchat;
  return [...configured, { channel: 'webchat', account: 'default', path: 'channels.webchat', agent }];
}

/** For whatever no binding matches: named, or the only one there is (RT-1). Several and none named = nobody. */
export function defaultAgentOf({ agents, defaultAgent }: TenantConfig): string | undefined {
  const [only, another] = Object.keys(agents);
  return defaultAgent ?? (another === undefined ? only : undefined);
}

/** `<channel>/<account>` -> tenant, for the accounts of chats; each has one (TN-1). */
export function accountOwners(config: Config): ReadonlyMap<string, string> {
  return new Map(
    tenantsOf(config).flatMap(({ id, tenant }) =>
      accountsOf(tenant)
        .filter(({ channel }) => channel !== 'webchat')
        .map(({ channel, account }) => [`${channel}/${account}`, id] as const),
    ),
  );
}

/** An account of a channel that a plugin brings. */
export interface PluginAccount {
  channel: string;
  account: string;
  config: Readonly<Record<string, unknown>>;
  rates?: ChannelRates | undefined;
  /** Where it is in the file. */
  path: string;
}
type ChannelRates = NonNullable<TenantConfig['channels']['plugins'][string]['accounts'][string]['rates']>;

export function pluginAccountsOf(config: Config): PluginAccount[] {
  return tenantsOf(config).flatMap(({ at, tenant: { channels } }) =>
    Object.entries(channels.plugins).flatMap(([channel, { accounts }]) =>
      Object.entries(accounts).map(([account, { config: own, rates }]) => ({
        channel,
        account,
        config: own,
        rates,
        path: at(`channels.plugins.${channel}.accounts.${account}`),
      })),
    ),
  );
}
