import { accountsOf, defaultAgentOf } from './channel-accounts.js';
import { accountSectionNames, builtInChannels, channelOfSection, type AccountSection } from './channels.schema.js';
import type { Config } from './config.schema.js';
import type { ConfigProblem } from './config-error.js';
import { isModelName, unknownAlias } from './model-aliases.js';
import { unknownProvider } from './model-providers.js';
import type { TenantConfig } from './tenant.schema.js';
import { tenantsOf } from './tenants.js';

/** Paths are those inside the tenant. */
type Check = (tenant: TenantConfig, config: Config) => ConfigProblem[];

const CHECKS: readonly Check[] = [unknownProviders, missingPrices, unknownAgents, impossibleMatches, brokenLinks, ownerless];

/** What one option of a tenant cannot know about another. */
export function tenantProblems(config: Config): ConfigProblem[] {
  return tenantsOf(config).flatMap(({ at, tenant }) =>
    CHECKS.flatMap((check) => check(tenant, config)).map(({ path, message }) => ({ path: at(path), message })),
  );
}

function unknownProviders({ agents }: TenantConfig, { models, plugins }: Config): ConfigProblem[] {
  const named = Object.entries(agents).flatMap(([id, { model, fallbacks, utilityModel }]) => [
    { path: `agents.${id}.model`, model },
    ...fallbacks.map((fallback, i) => ({ path: `agents.${id}.fallbacks.${i}`, model: fallback })),
    ...(utilityModel === undefined ? [] : [{ path: `agents.${id}.utilityModel`, model: utilityModel }]),
  ]);
  return named.flatMap(({ path, model }) => {
    const message = isModelName(model)
      ? unknownProvider(model, { ...models.providers, ...plugins.entries })
      : unknownAlias(model, models.aliases);
    return message === undefined ? [] : [{ path, message }];
  });
}

/** A limit that can't be reached would only look like one. */
function missingPrices({ agents }: TenantConfig, { models }: Config): ConfigProblem[] {
  return Object.entries(agents).flatMap(([id, { maxTurnCost, model, fallbacks, utilityModel = model }]) =>
    [...new Set([model, ...fallbacks, utilityModel])]
      .filter((name) => maxTurnCost > 0 && !Object.hasOwn(models.prices, name))
      .map((name) => ({
        path: `agents.${id}.maxTurnCost`,
        message: `needs the price of ${name}; set models.prices.${JSON.stringify(name)}`,
      })),
  );
}

function unknownAgents(tenant: TenantConfig): ConfigProblem[] {
  const { agents, bindings, defaultAgent } = tenant;
  const named = [
    { path: 'defaultAgent', agent: defaultAgent },
    ...bindings.map(({ agent }, i) => ({ path: `bindings.${i}.agent`, agent })),
    ...accountsOf(tenant).map(({ path, agent }) => ({ path: `${path}.agent`, agent })),
  ];
  return named.flatMap(({ path, agent }) =>
    agent === undefined || Object.hasOwn(agents, agent)
      ? []
      : [{ path, message: `${JSON.stringify(agent)} is no agent; known: ${Object.keys(agents).join(', ')}` }],
  );
}

/** A binding that can match nothing is a slip of the pen, and its chats would go to somebody else. */
function impossibleMatches(tenant: TenantConfig): ConfigProblem[] {
  const accounts = accountsOf(tenant);
  return tenant.bindings.flatMap(({ match: { channel, account = '*', roles, guild, peer } }, i) => {
    const at = `bindings.${i}.match`;
    const problems = unknownChannel(`${at}.channel`, channel, Object.keys(tenant.channels.plugins));
    const known = accounts.filter((one) => one.channel === channel).map((one) => one.account);
    if (problems.length === 0 && account !== '*' && !known.includes(account))
      problems.push({
        path: `${at}.account`,
        message: `${JSON.stringify(account)} is no account of ${channel}; known: ${known.join(', ') || 'none'}`,
      });
    if (roles && guild === undefined)
      problems.push({ path: `${at}.roles`, message: 'are those of a guild; set match.guild to its id' });
    if (peer?.thread !== undefined && peer.id === '*')
      problems.push({ path: `${at}.peer.thread`, message: 'is one of a chat; set match.peer.id to the id of that chat' });
    return problems;
  });
}

function brokenLinks({ session: { identityLinks }, channels }: TenantConfig): ConfigProblem[] {
  const persons = new Map<string, string>();
  return Object.entries(identityLinks).flatMap(([person, ids]) =>
    ids.flatMap((id, i) => {
      const path = `session.identityLinks.${person}.${i}`;
      const other = persons.get(id);
      persons.set(id, person);
      if (other !== undefined && other !== person)
        return [{ path, message: `${JSON.stringify(id)} is linked to ${other} already; one id is one person` }];
      return unknownChannel(path, id.slice(0, id.indexOf(':')), Object.keys(channels.plugins));
    }),
  );
}

/** @param added the channels that plugins bring */
export function unknownChannel(path: string, channel: string, added: readonly string[]): ConfigProblem[] {
  if (builtInChannels.includes(channel) || added.includes(channel)) return [];
  const known = [...accountSectionNames.map(introduced), ...added];
  const message = `${JSON.stringify(channel)} is no channel; known: ${known.join(', ')}, webchat (API and web chat)`;
  return [{ path, message }];
}

function introduced(section: AccountSection): string {
  const channel = channelOfSection(section);
  return channel === section ? channel : `${channel} (what comes to channels.${section}.accounts)`;
}

/** Never "the first one": nobody could say which agent a message went to (RT-1). */
function ownerless(tenant: TenantConfig): ConfigProblem[] {
  if (defaultAgentOf(tenant) !== undefined) return [];
  const names = Object.keys(tenant.agents).join(', ');
  return accountsOf(tenant)
    .filter(
      ({ channel, account, agent }) =>
        agent === undefined && !tenant.bindings.some(({ match }) => takesAll(match, channel, account)),
    )
    .map(({ path }) => ({
      path: `${path}.agent`,
      message: `there are several agents (${names}), and none owns the messages here that no binding matches; name one, or set defaultAgent`,
    }));
}

function takesAll(match: TenantConfig['bindings'][number]['match'], channel: string, account: string): boolean {
  const { channel: its, account: one = '*', ...narrower } = match;
  return its === channel && (one === '*' || one === account) && Object.values(narrower).every((value) => value === undefined);
}
