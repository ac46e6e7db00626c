import { costOf, millionths, type Spent } from '#contracts';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { fieldsOf, readDay, type UsageLine } from './usage-fields.js';

/** Whose usage it is. */
export interface UsageOwner {
  tenant: string;
  agent: string;
  session: string;
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

/** A turn whose commit is asked for again, because a reply was lost, comes within moments. */
const MARKER_TTL_MS = 600_000;
const DAY_MS = 86_400_000;
export const USAGE_DAYS = 40;
/** Sessions are many, and nobody asks for more than today. */
const SESSION_DAYS = 2;

const recordScript = loadScript(import.meta.dirname, 'usage-record', 'time');
const todayScript = loadScript(import.meta.dirname, 'usage-today', 'time');
const daysScript = loadScript(import.meta.dirname, 'usage-days', 'time');

/** What tenants, agents and sessions use in a day, over all runners (MO-5). Days are UTC by Redis time, a turn is of the day in which it ended. */
export class UsageAccount {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /** Adds a turn, once however often it is asked. @returns whether it was added now. */
  async record(turn: string, { tenant, agent, session }: UsageOwner, spent: readonly Spent[]): Promise<boolean> {
    const tokens = spent.reduce((sum, line) => sum + line.inputTokens + line.outputTokens, 0);
    const ttls = [MARKER_TTL_MS, USAGE_DAYS * DAY_MS, SESSION_DAYS * DAY_MS];
    const args = [this.days(tenant), this.sessions(tenant), ...ttls, session, tokens, millionths(costOf(spent))];
    const key = this.keyspace.limits(`usage-turn:${turn}`);
    return (await recordScript.run(this.redis, [key], [...args, ...fieldsOf(agent, spent)])) === 1;
  }

  /** One round trip. */
  async today({ tenant, agent, session }: UsageOwner): Promise<Record<'tenant' | 'agent' | 'session', Used>> {
    const reply = (await todayScript.run(this.redis, [this.days(tenant), this.sessions(tenant)], [agent, session])) as string[];
    const used = (index: number): Used => ({ tokens: Number(reply[index]), cost: Number(reply[index + 1]) / 1_000_000 });
    return { tenant: used(0), agent: used(2), session: used(4) };
  }

  /** Today first. @param days 1 to USAGE_DAYS */
  async ofDays(tenant: string, days: number): Promise<UsageDay[]> {
    const reply = (await daysScript.run(this.redis, [this.days(tenant)], [days])) as [number, ...string[][]];
    const [today, ...hashes] = reply;
    return hashes.map((hash, ago) => ({
      day: new Date((today - ago) * DAY_MS).toISOString().slice(0, 10),
      ...readDay(hash),
    }));
  }

  private days(tenant: string): string {
    return this.keyspace.limits(`usage:${tenant}:`);
  }

  private sessions(tenant: string): string {
    return this.keyspace.limits(`usage-sessions:${tenant}:`);
  }
}
