import { hash } from 'node:crypto';
import type { Keyspace, RedisClient } from '#redis';
import { quarantineOf } from './plugin-crashes.js';
import type { PluginWatchdog } from './plugin-watchdog.js';

/** A plugin that is about to run. */
export interface Guarded {
  id: string;
  root: string;
  /** What makes it another plugin than it was: a change of it ends a quarantine. */
  fingerprint: string;
}

/** Who of the plugins may run in this process, by what they have done to others. */
export class PluginGuard {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly watchdog: PluginWatchdog,
  ) {}

  /** Watches those that may run. @returns by id why the others may not */
  async admit(plugins: readonly Guarded[]): Promise<Map<string, string>> {
    const watched = plugins.map(({ id, root, fingerprint }) => ({
      id,
      root,
      key: this.keyspace.pluginCrashes(id, hash('sha256', fingerprint, 'base64url')),
    }));
    this.watchdog.watch(watched);
    const reasons = await Promise.all(watched.map(async ({ id, key }) => [id, await quarantineOf(this.redis, key)] as const));
    return new Map(reasons.flatMap(([id, reason]) => (reason === undefined ? [] : [[id, reason] as const])));
  }

  close(): Promise<void> {
    return this.watchdog.close();
  }
}
