import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.schema.js';

export type ConfigListener = (next: Config, previous: Config) => void;

/** Options that count at once; the others keep their old value in this process until it is started again. */
const LIVE = ['log.level', 'tools.message', 'limits'];

export interface Reload {
  config: Config;
  /** Sections that were changed and count only after a restart. */
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
    const next = this.load();
    const previous = this.config;
    this.config = next;
    for (const listener of this.listeners) listener(next, previous);
    return { config: next, needRestart: restartSections(previous, next) };
  }

  /** Listeners are called in order and must not throw. Returns the way to stop listening. */
  onChange(listener: ConfigListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

function restartSections(previous: Config, next: Config): string[] {
  const before = flatten(previous);
  const after = flatten(next);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => !isDeepStrictEqual(before.get(path), after.get(path)),
  );
  return changed.filter((path) => !LIVE.some((live) => path === live || path.startsWith(`${live}.`)));
}

function flatten(value: unknown, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return into.set(path, value);
  for (const [key, item] of Object.entries(value)) flatten(item, path ? `${path}.${key}` : key, into);
  return into;
}
