import { accountSectionNames, channelOfSection } from './channels.schema.js';
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
  const configured = accountSectionNames.flatMap((section) =>
    Object.entries<{ agent?: string | undefined }>(channels[section].accounts).map(([account, { agent }]) => ({
      channel: channelOfSection(section),
      account,
      path: `channels.${section}.accounts.${account}`,
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
