import { limitsSchema, type LimitsConfig } from '#config';
import { TransientError } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { AdmissionScript } from './admission-script.js';
import type { Lane } from './lane.js';
import { limitsTable } from './limits-table.js';

/** Sessions with a slot and sessions that wait, over all runners. */
export interface SlotCounts {
  running: number;
  waiting: number;
}

export interface FleetLoad extends SlotCounts {
  /** Those with the most waiters, then those that only run. */
  tenants: (SlotCounts & { tenant: string })[];
}

/** Sessions in line, for those who decide how many runners there are. */
export interface LineLoad extends SlotCounts {
  /** Of those that wait, how many more runners would run: their limits have room. */
  runnable: number;
  /** When the first of them began to wait, Redis time, ms. */
  since: number | undefined;
}

/** Of those with the most waiters; all further tenants are few waiters each, and count as runnable. */
const TENANTS_LOOKED_AT = 50;
/** BullMQ's own limit stays as an outer belt that Bull Board shows; it counts activations, also those that only queue for a slot. */
const BELT_FACTOR = 4;
const MOST_TRIES = 10;
const NONE = limitsSchema.parse({});

const setLimitsScript = loadScript(import.meta.dirname, 'set-limits');

/** The limits in force (G6). They live in Redis, so a change holds for every runner within a second. */
export class FleetLimits {
  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
    private readonly script: AdmissionScript,
  ) {}

  async current(): Promise<LimitsConfig> {
    return (await this.read()).limits;
  }

  /**
   * The limits of a configuration, once for each configuration: a runner that starts later, or a reload that changed something
   * else, does not undo what was set while the fleet ran.
   */
  async configure(limits: LimitsConfig): Promise<void> {
    const configured = JSON.stringify(limits);
    if ((await this.redis.hget(this.key('settings'), 'configured')) !== configured) await this.change(() => limits, configured);
  }

  /**
   * Puts what `change` makes of the limits in force, and lets in whoever has room now. Turns that run are not stopped.
   * @throws whatever `change` throws; nothing is changed then
   */
  async change(change: (limits: LimitsConfig) => LimitsConfig, configured = ''): Promise<LimitsConfig> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { limits: before, version } = await this.read();
      const limits = change(before);
      const args = [version, JSON.stringify(limits), configured, ...limitsTable(limits)];
      if ((await setLimitsScript.run(this.redis, [this.key('limits'), this.key('settings')], args)) !== 1) continue;
      await this.fastenBelt(limits);
      await this.script.call('change');
      return limits;
    }
    throw new TransientError('unavailable', 'The limits are being changed by somebody else; try again');
  }

  async slots(): Promise<SlotCounts> {
    const [running, waiting] = await Promise.all([this.redis.zcard(this.key('run')), this.redis.hlen(this.key('queued'))]);
    return { running, waiting };
  }

  /** O(1), whatever the number of sessions and tenants. What a rate of the whole fleet holds back counts as runnable. */
  async lines(): Promise<LineLoad> {
    const slots = await this.slots();
    if (slots.waiting === 0) return { ...slots, runnable: 0, since: undefined };
    const [lines, [, since]] = await Promise.all([
      this.redis.zrevrange(this.key('waiting'), 0, TENANTS_LOOKED_AT - 1, 'WITHSCORES'),
      this.redis.zrange(this.key('since'), '0', '0', 'WITHSCORES'),
    ]);
    const waiters = lines.flatMap((tenant, at) => (at % 2 === 0 ? [{ tenant, waiting: Number(lines[at + 1]) }] : []));
    const held = await this.held(waiters);
    const fleet = slotsOf((await this.redis.hget(this.key('limits'), 'f')) ?? undefined);
    const runnable = Math.min(slots.waiting - held, Math.max(0, fleet - slots.running));
    return { ...slots, runnable: Math.max(0, runnable), since: since === undefined ? undefined : Number(since) };
  }

  /** How many of these wait for a limit of their tenant or agent. */
  private async held(waiters: readonly { tenant: string; waiting: number }[]): Promise<number> {
    // They may have been let in meanwhile.
    if (waiters.length === 0) return 0;
    const scopes = waiters.map(({ tenant }) => `t|${tenant}`);
    const [ready, running, [ofAny, ...limits]] = await Promise.all([
      Promise.all(waiters.map(({ tenant }) => this.redis.zscore(this.key('ready'), tenant))),
      this.redis.hmget(this.key('count'), ...scopes),
      this.redis.hmget(this.key('limits'), 't', ...scopes),
    ]);
    return waiters.reduce((sum, { waiting }, at) => {
      const room = ready[at] === null ? 0 : slotsOf(limits[at] ?? ofAny ?? undefined) - Number(running[at] ?? 0);
      return sum + waiting - Math.min(waiting, Math.max(0, room));
    }, 0);
  }

  /** @param most tenants listed */
  async load(most: number): Promise<FleetLoad> {
    const [slots, counts, lines] = await Promise.all([
      this.slots(),
      this.redis.hgetall(this.key('count')),
      this.redis.zrevrange(this.key('waiting'), 0, most - 1, 'WITHSCORES'),
    ]);
    const waiters = new Map<string, number>();
    for (let at = 0; at < lines.length; at += 2) waiters.set(lines[at] ?? '', Number(lines[at + 1]));
    const busy = Object.keys(counts).flatMap((scope) => (scope.startsWith('t|') ? [scope.slice(2)] : []));
    const tenants = [...new Set([...waiters.keys(), ...busy])]
      .slice(0, most)
      .map((tenant) => ({ tenant, running: Number(counts[`t|${tenant}`] ?? 0), waiting: waiters.get(tenant) ?? 0 }));
    return { ...slots, tenants };
  }

  private async read(): Promise<{ limits: LimitsConfig; version: string }> {
    const [document, version] = await this.redis.hmget(this.key('settings'), 'document', 'version');
    return { limits: document ? limitsSchema.parse(JSON.parse(document)) : NONE, version: version ?? '0' };
  }

  private async fastenBelt({ fleet: { concurrency } }: LimitsConfig): Promise<void> {
    for (const queue of this.lane.activationQueues) {
      if (concurrency > 0) await queue.setGlobalConcurrency(concurrency * BELT_FACTOR);
      else await queue.removeGlobalConcurrency();
    }
  }

  private key(name: string): string {
    return this.keyspace.limits(name);
  }
}

/** Of `slots rate weight`, as the limits are kept for admit.lua; 0 slots are no limit. */
function slotsOf(limit: string | undefined): number {
  return Number(limit?.split(' ')[0] ?? 0) || Number.POSITIVE_INFINITY;
}
