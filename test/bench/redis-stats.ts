import type { RedisClient } from '#redis';

/** What Redis has used since it started. */
export interface RedisUsage {
  /** User and system time of all its threads, µs. */
  cpuUs: number;
  /** Commands executed, those inside scripts included. */
  commands: number;
  /** By command: calls, and µs in it (a script's time holds that of its commands). */
  byName: Map<string, CommandUsage>;
}

interface CommandUsage {
  calls: number;
  us: number;
}

export async function redisUsage(redis: RedisClient): Promise<RedisUsage> {
  const text = await redis.info('cpu', 'stats', 'commandstats');
  const seconds = valueOf(text, 'used_cpu_user') + valueOf(text, 'used_cpu_sys');
  const byName = [...text.matchAll(/^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm)].map(
    ([, name = '', calls, us]) => [name, { calls: Number(calls), us: Number(us) }] as const,
  );
  return { cpuUs: seconds * 1e6, commands: valueOf(text, 'total_commands_processed'), byName: new Map(byName) };
}

export async function redisVersion(redis: RedisClient): Promise<string> {
  return /^redis_version:(\S+)/m.exec(await redis.info('server'))?.[1] ?? 'unknown';
}

export interface CommandCost {
  name: string;
  callsPerMessage: number;
  usPerMessage: number;
}

/** The dearest commands between two looks, dearest first. */
export function dearest(before: RedisUsage, after: RedisUsage, messages: number, most: number): CommandCost[] {
  const costs = [...after.byName].map(([name, { calls, us }]) => {
    const earlier = before.byName.get(name) ?? { calls: 0, us: 0 };
    return { name, callsPerMessage: (calls - earlier.calls) / messages, usPerMessage: (us - earlier.us) / messages };
  });
  return costs.sort((a, b) => b.usPerMessage - a.usPerMessage).slice(0, most);
}

function valueOf(info: string, name: string): number {
  return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1] ?? 0);
}
