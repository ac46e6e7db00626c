import type { SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { readDay, type UsageLine } from './usage-fields.js';

/** Whose usage it is. */
export interface UsageOwner {
  tenant: string;
  agent: string;
  session: SessionKey;
}

/** Of one day. */
export interface Used {
  /** In and out. */
  tokens: number;
  /** In the currency of models.prices. */
  cost: number;
}

export interface UsageDay extends Used {
  /** UTC, YYYY-MM-DD. */
  day: string;
  lines: UsageLine[];
}

const DAY_MS = 86_400_000;
export const USAGE_DAYS = 40;
export const USAGE_DAY_TTL_MS = USAGE_DAYS * DAY_MS;

const todayScript = loadScript(import.meta.dirname, 'usage-today', 'time');
const daysScript = loadScript(import.meta.dirname, 'usage-days', 'time');

/**
 * What tenants, agents and sessions use in a day, over all runners (MO-5). Each turn's commit adds to its bucket; here the buckets are added up, in one
 * flight. Days are UTC by Redis time, a turn is of the day in which it ended.
 */
export class UsageAccount {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  async today({ tenant, agent, session }: UsageOwner): Promise<Record<'tenant' | 'agent' | 'session', Used>> {
    const { keyspace } = this;
    const its = keyspace.bucketOf(session);
    const replies = await Promise.all(
      keyspace.buckets.map((bucket) => {
        const keys = [keyspace.usageDays(tenant, bucket), ...(bucket === its ? [keyspace.head(session)] : [])];
        return todayScript.run(this.redis, keys, [agent]) as Promise<number[]>;
      }),
    );
    const sum = (index: number): number => replies.reduce((total, reply) => total + (reply[index] ?? 0), 0);
    const used = (index: number): Used => ({ tokens: sum(index), cost: sum(index + 1) / 1_000_000 });
    return { tenant: used(0), agent: used(2), session: used(4) };
  }

  /** Today first. @param days 1 to USAGE_DAYS */
  async ofDays(tenant: string, days: number): Promise<UsageDay[]> {
    const { keyspace } = this;
    const replies = await Promise.all(
      keyspace.buckets.map(
        (bucket) => daysScript.run(this.redis, [keyspace.usageDays(tenant, bucket)], [days]) as Promise<[number, ...string[][]]>,
      ),
    );
    const today = Math.max(...replies.map(([number]) => number));
    return Array.from({ length: days }, (_, ago) => ({
      day: new Date((today - ago) * DAY_MS).toISOString().slice(0, 10),
      // A reply from before midnight counts its days from yesterday.
      ...readDay(replies.map(([number, ...hashes]) => hashes[ago - (today - number)] ?? [])),
    }));
  }
}
