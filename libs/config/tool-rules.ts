import { accountsOf } from './channel-accounts.js';
import { channelSection } from './channels.schema.js';
import type { Config } from './config.schema.js';
import { toolPolicySchema, type ToolPolicyConfig, type ToolRulesConfig } from './tool-policy.schema.js';
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
 * Everything in the file that decides which tools somebody has, from the deployment down to the account (TO-7), the profiles that
 * count last. All of it holds at once: each place can only take away. Places that say nothing are left out.
 */
export function toolRules(config: Config, user: ToolUser): PlacedRules[] {
  const placed = policiesOf(config, user).flatMap((place) => rulesIn(place, user));
  const without = ({ at, rules, level }: LevelledRules): PlacedRules => ({
    at,
    rules: level ? { ...rules, profile: undefined } : rules,
  });
  const of = (level: Level): PlacedRules[] => nearestProfile(placed.filter((one) => one.level === level));
  return [...placed.map(without), ...of('own'), ...of('provider')].filter(({ rules }) => saysSomething(rules));
}

/** Of deployment, tenant and agent one profile counts, and of their sections by provider one more: the nearest, as in OpenClaw. */
type Level = 'own' | 'provider';
type LevelledRules = PlacedRules & { level?: Level | undefined };

/** For profile and alsoAllow each, what the agent says replaces what its tenant says, and that the deployment. */
function nearestProfile(chain: readonly PlacedRules[]): PlacedRules[] {
  const found = chain.findLast(({ rules }) => rules.profile !== undefined);
  if (!found) return [];
  const { alsoAllow } = chain.findLast(({ rules }) => rules.alsoAllow.length > 0)?.rules ?? found.rules;
  return [{ at: found.at, rules: { profile: found.rules.profile, alsoAllow, deny: [] } }];
}

interface PlacedPolicy {
  at: string;
  policy: ToolPolicyConfig;
  /** Of a channel or an account: whatever it says only narrows. */
  ofChannel: boolean;
}

type Place = Pick<ToolUser, 'tenant' | 'agent' | 'channel' | 'account'>;

/** Of an agent or a tenant that has left the configuration: what it was denied is not known any more. */
const NOTHING = toolPolicySchema.parse({ allow: [] });

function policiesOf(config: Config, { tenant: id, agent, channel, account }: Place): PlacedPolicy[] {
  const tenant = tenantConfig(config, id);
  if (!tenant) return [{ at: tenantPath(id, 'tools'), policy: NOTHING, ofChannel: false }];
  const placed: PlacedPolicy[] = [{ at: 'tools', policy: config.tools, ofChannel: false }];
  const add = (path: string, policy: ToolPolicyConfig | undefined): void => {
    if (policy && policy !== config.tools)
      placed.push({ at: tenantPath(id, path), policy, ofChannel: path.startsWith('channels.') });
  };
  add('tools', tenant.tools);
  add(`agents.${agent}.tools`, Object.hasOwn(tenant.agents, agent) ? tenant.agents[agent]?.tools : NOTHING);
  const section = channelSection(tenant.channels, channel);
  if (!section) {
    add('channels.webchat.tools', tenant.channels.webchat.tools);
    return placed;
  }
  const { path, tools, accounts } = section;
  add(`${path}.tools`, tools);
  add(`${path}.accounts.${account}.tools`, Object.hasOwn(accounts, account) ? accounts[account]?.tools : undefined);
  return placed;
}

type Person = Pick<ToolUser, 'senders' | 'models' | 'isSubagent'>;

function rulesIn({ at, policy, ofChannel }: PlacedPolicy, { senders, models, isSubagent }: Person): LevelledRules[] {
  const { byProvider, bySender, subagents } = policy;
  const providers = new Set(models.flatMap((model) => [model.split('/', 1).join(''), model]));
  const named = (record: Readonly<Record<string, ToolRulesConfig>>, option: string, keys: Iterable<string>): PlacedRules[] =>
    [...keys].flatMap((key) =>
      Object.hasOwn(record, key) && record[key] ? [{ at: `${at}.${option}.${key}`, rules: record[key] }] : [],
    );
  const people = new Set(senders.map((sender) => (Object.hasOwn(bySender, sender) ? sender : '*')));
  return [
    { at, rules: policy, level: ofChannel ? undefined : 'own' },
    ...named(byProvider, 'byProvider', providers).map((one) => ({
      ...one,
      level: ofChannel ? undefined : ('provider' as const),
    })),
    ...named(bySender, 'bySender', people),
    ...(isSubagent && subagents ? [{ at: `${at}.subagents`, rules: subagents }] : []),
  ];
}

function saysSomething({ profile, allow, alsoAllow, deny }: ToolRulesConfig): boolean {
  return profile !== undefined || allow !== undefined || alsoAllow.length + deny.length > 0;
}

/** Every place of the file that says something about tools. */
export function allToolRules(config: Config): PlacedRules[] {
  return allPolicies(config).flatMap((placed) => {
    const { policy } = placed;
    const everybody = { senders: Object.keys(policy.bySender), models: Object.keys(policy.byProvider), isSubagent: true };
    return rulesIn(placed, everybody).filter(({ rules }) => saysSomething(rules));
  });
}

/** Every policy of the file, once. */
export function allPolicies(config: Config): PlacedPolicy[] {
  const places = tenantsOf(config).flatMap(({ id, tenant }) => {
    const agents = Object.keys(tenant.agents);
    const ofAgents = agents.map((agent) => ({ tenant: id, agent, channel: 'webchat', account: 'default' }));
    const [agent = ''] = agents;
    return [...ofAgents, ...accountsOf(tenant).map(({ channel, account }) => ({ tenant: id, agent, channel, account }))];
  });
  return [...new Map(places.flatMap((place) => policiesOf(config, place)).map((placed) => [placed.at, placed])).values()];
}
