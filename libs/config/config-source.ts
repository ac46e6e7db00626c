import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from './config-error.js';
import type { Config, ModelsConfig } from './config.schema.js';
import { crossProblems } from './cross-checks.js';
import type { TenantConfig } from './tenant.schema.js';
import type { ToolPolicyConfig } from './tool-policy.schema.js';

export type ConfigListener = (next: Config, previous: Config) => void;

export interface Reload {
  /** In force from now on. */
  config: Config;
  /** Options that were changed and count only after a restart. */
  needRestart: string[];
}

/** The configuration of a running process (OP-6). */
export class ConfigSource {
  private readonly listeners = new Set<ConfigListener>();
  private config: Config;

  /** Throws ConfigError like `load` itself, which is called at once and again by each reload. */
  constructor(private readonly load: () => Config) {
    this.config = load();
  }

  get current(): Config {
    return this.config;
  }

  /** Reads again and tells the listeners. A bad configuration throws ConfigError and the old one stays. */
  reload(): Reload {
    const read = this.load();
    const previous = this.config;
    const next = withLiveOptions(previous, read);
    mustFit(next);
    this.config = next;
    for (const listener of this.listeners) listener(this.config, previous);
    return { config: this.config, needRestart: differences(this.config, read) };
  }

  /** Listeners are called in order and must not throw. Returns the way to stop listening. */
  onChange(listener: ConfigListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** These count at once. The others keep the value this process was started with: a lock time that changed under a worker would be unsafe. */
function withLiveOptions(running: Config, read: Config): Config {
  const { log, tools, plugins, limits, models, mcpServers } = read;
  const tenants = Object.entries(running.tenants).map(([id, tenant]) => [
    id,
    withLiveSections(tenant, read.tenants[id] ?? tenant),
  ]);
  return {
    ...running,
    ...withLiveSections(running, read),
    tenants: Object.fromEntries(tenants),
    log: { ...running.log, level: log.level },
    tools,
    mcpServers,
    // A context engine is chosen at the start, and the watchdog told its time.
    plugins: { ...plugins, slots: running.plugins.slots, blockedMs: running.plugins.blockedMs },
    limits,
    models: withLiveModels(running.models, models),
  };
}

function withLiveSections<T extends TenantConfig>(running: T, read: TenantConfig): T {
  const { agents, defaultAgent, bindings, session, access, budgets, tools } = read;
  const channels = withLiveTools(running.channels, read.channels);
  return { ...running, agents, defaultAgent, bindings, session, access, budgets, tools, channels };
}

/** Of a channel and its accounts only what says which tools they have. */
function withLiveTools(running: Channels, read: Channels): Channels {
  return {
    feishu: withToolsOf(running.feishu, read.feishu),
    telegram: withToolsOf(running.telegram, read.telegram),
    slack: withToolsOf(running.slack, read.slack),
    discord: withToolsOf(running.discord, read.discord),
    webhook: withToolsOf(running.webhook, read.webhook),
    whatsapp: withToolsOf(running.whatsapp, read.whatsapp),
    webchat: { ...running.webchat, tools: read.webchat.tools },
    plugins: Object.fromEntries(
      Object.entries(running.plugins).map(([name, section]) => [name, withToolsOf(section, read.plugins[name] ?? section)]),
    ),
  };
}

type Channels = TenantConfig['channels'];
interface WithTools {
  tools: ToolPolicyConfig;
}

function withToolsOf<A extends WithTools, S extends WithTools & { accounts: Record<string, A> }>(running: S, read: S): S {
  const accounts = Object.entries(running.accounts).map(
    ([id, account]) => [id, { ...account, tools: read.accounts[id]?.tools ?? account.tools }] as const,
  );
  return { ...running, tools: read.tools, accounts: Object.fromEntries(accounts) };
}

function withLiveModels(running: ModelsConfig, read: ModelsConfig): ModelsConfig {
  const providers = Object.entries(running.providers).map(([id, provider]) => [
    id,
    { ...provider, limits: read.providers[id]?.limits ?? provider.limits },
  ]);
  return { ...running, aliases: read.aliases, providers: Object.fromEntries(providers) };
}

/** What was read is sound, but part of it waits for the next start: the rest must go with what runs. */
function mustFit(mixed: Config): void {
  const problems = crossProblems(mixed);
  if (problems.length === 0) return;
  const waits = 'needs a restart, because what it goes with does; until then: ';
  throw new ConfigError(problems.map(({ path, message }) => ({ path, message: waits + message })));
}

/** Paths of the options that differ. */
function differences(one: Config, other: Config): string[] {
  const [before, after] = [flatten(one), flatten(other)];
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => !isDeepStrictEqual(before.get(path), after.get(path)));
}

function flatten(value: unknown, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return into.set(path, value);
  for (const [key, item] of Object.entries(value)) flatten(item, path ? `${path}.${key}` : key, into);
  return into;
}
