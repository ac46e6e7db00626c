import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from './config-error.js';
import type { Config, ModelsConfig } from './config.schema.js';
import { crossProblems } from './cross-checks.js';
import type { TenantConfig } from './tenant.schema.js';

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
    { ...tenant, ...liveSections(read.tenants[id] ?? tenant) },
  ]);
  return {
    ...running,
    ...liveSections(read),
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

function liveSections({
  agents,
  defaultAgent,
  bindings,
  session,
  access,
  budgets,
  tools,
}: TenantConfig): Omit<TenantConfig, 'channels'> {
  return { agents, defaultAgent, bindings, session, access, budgets, tools };
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
