import { accountsOf } from './channel-accounts.js';
import { accountSectionNames, channelOfSection } from './channels.schema.js';
import type { Config } from './config.schema.js';
import type { ToolPolicyConfig, ToolRulesConfig } from './tool-policy.schema.js';
import { tenantConfig, tenantPath, tenantsOf } from './tenants.js';

/** For whom tools are picked. */
export interface ToolUser {
  tenant: string;
  agent: string;
  channel: string;
  account: string;
  /** `<channel>:<sender id>` of everybody whose words the turn answers. */
  senders: readonly string[];
  /** provider/model of each model that may answer. */
  models: readonly string[];
  isSubagent: boolean;
}

/** What one place of the file says, and its path there. */
export interface PlacedRules {
  at: string;
  rules: ToolRulesConfig;
}

/**
 * Everything in the file that decides which tools somebody has, from the deployment down to the account (TO-7). All of it
 * holds at once: each place can only take away. Places that say nothing are left out.
 */
export function toolRules(config: Config, user: ToolUser): PlacedRules[] {
  return policiesOf(config, user).flatMap(({ at, policy }) =>
    rulesIn(at, policy, user).filter(({ rules }) => saysSomething(rules)),
  );
}

interface PlacedPolicy {
  at: string;
  policy: ToolPolicyConfig;
}

type Place = Pick<ToolUser, 'tenant' | 'agent' | 'channel' | 'account'>;

function policiesOf(config: Config, { tenant: id, agent, channel, account }: Place): PlacedPolicy[] {
  const tenant = tenantConfig(config, id);
  if (!tenant) return [];
  const placed: PlacedPolicy[] = [{ at: 'tools', policy: config.tools }];
  const add = (path: string, policy: ToolPolicyConfig | undefined): void => {
    if (policy && policy !== config.tools) placed.push({ at: tenantPath(id, path), policy });
  };
  add('tools', tenant.tools);
  add(`agents.${agent}.tools`, Object.hasOwn(tenant.agents, agent) ? tenant.agents[agent]?.tools : undefined);
  const section = accountSectionNames.find((name) => channelOfSection(name) === channel);
  if (!section) {
    add('channels.webchat.tools', tenant.channels.webchat.tools);
    return placed;
  }
  const { tools, accounts } = tenant.channels[section];
  const ofAccounts: Record<string, { tools: ToolPolicyConfig }> = accounts;
  add(`channels.${section}.tools`, tools);
  add(
    `channels.${section}.accounts.${account}.tools`,
    Object.hasOwn(ofAccounts, account) ? ofAccounts[account]?.tools : undefined,
  );
  return placed;
}

type Person = Pick<ToolUser, 'senders' | 'models' | 'isSubagent'>;

function rulesIn(at: string, policy: ToolPolicyConfig, { senders, models, isSubagent }: Person): PlacedRules[] {
  const { byProvider, bySender, subagents } = policy;
  const providers = new Set(models.flatMap((model) => [model.split('/', 1).join(''), model]));
  const named = (record: Readonly<Record<string, ToolRulesConfig>>, option: string, keys: Iterable<string>): PlacedRules[] =>
    [...keys].flatMap((key) =>
      Object.hasOwn(record, key) && record[key] ? [{ at: `${at}.${option}.${key}`, rules: record[key] }] : [],
    );
  const people = new Set(senders.map((sender) => (Object.hasOwn(bySender, sender) ? sender : '*')));
  return [
    { at, rules: policy },
    ...named(byProvider, 'byProvider', providers),
    ...named(bySender, 'bySender', people),
    ...(isSubagent && subagents ? [{ at: `${at}.subagents`, rules: subagents }] : []),
  ];
}

function saysSomething({ profile, allow, alsoAllow, deny }: ToolRulesConfig): boolean {
  return profile !== undefined || allow !== undefined || alsoAllow.length + deny.length > 0;
}

/** Every place of the file that says something about tools. */
export function allToolRules(config: Config): PlacedRules[] {
  const places = tenantsOf(config).flatMap(({ id, tenant }) => [
    ...Object.keys(tenant.agents).map((agent) => ({ tenant: id, agent, channel: 'webchat', account: 'default' })),
    ...accountsOf(tenant).map(({ channel, account }) => ({ tenant: id, agent: '', channel, account })),
  ]);
  const policies = new Map(places.flatMap((place) => policiesOf(config, place)).map(({ at, policy }) => [at, policy]));
  return [...policies].flatMap(([at, policy]) => {
    const everybody = { senders: Object.keys(policy.bySender), models: Object.keys(policy.byProvider), isSubagent: true };
    return rulesIn(at, policy, everybody).filter(({ rules }) => saysSomething(rules));
  });
}
