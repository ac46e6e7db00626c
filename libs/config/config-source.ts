import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.schema.js';

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
    this.config = withLiveOptions(previous, read);
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
function withLiveOptions(running: Config, { log: { level }, tools, limits }: Config): Config {
  return { ...running, log: { ...running.log, level }, tools, limits };
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
