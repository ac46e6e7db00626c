import { setTimeout as rest } from 'node:timers/promises';
import { limitsSchema } from '#config';
import { Keyspace, type RedisClient } from '#redis';
import { waitUntil } from '../harness/wait-until.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import type { BenchTenant } from './bench-tenants.js';
import { percentiles, type Percentiles } from './percentiles.js';
import type { Item, Mark } from './questions.js';

/** The same work alone and beside a hog, ms. */
export interface Beside {
  alone: Percentiles;
  beside: Percentiles;
}

/** Turns the hog got while another tenant waited too, beside what their weights say. */
export interface Share {
  weight: number;
  turns: number;
  hogTurns: number;
}

export interface FairnessFigures {
  hogSessions: number;
  /** 500 sessions at once: accept -> model call, each tenant with half of the slots. */
  burst: Beside;
  /** Three eighths of what the fleet can do, evenly: accept -> end of the answer. */
  steady: Beside;
  shares: Share[];
  /** Of 5,000 messages. The same as `steady`. */
  besideSession: Beside;
}

const SLOTS = 20;
const RUNNERS = 2;
const HOG_SESSIONS = 20_000;
const HOG_MESSAGES = 5000;
const BURST = 500;
/** About a hundredth of what the hog still offers then. */
const LIGHT = 120;
/** Three eighths of what the slots can do. */
const STEADY_PER_S = 75;
const STEADY = 400;
const REST_MS = 400;
/** Runners read the limits anew once a second; until then they admit by the old ones. */
const LIMITS_HEARD_MS = 1500;
const WARM_UP = 1000;
const HANDS = 50;
const HANG_GUARD_MS = 120_000;
const ONE_BUCKET = 1;
const RUNNER = new URL('./runner.process.js', import.meta.url);
const HALF_EACH = limitsSchema.parse({ fleet: { concurrency: SLOTS }, tenant: { concurrency: SLOTS / 2 } });
const WEIGHTS = limitsSchema.parse({ fleet: { concurrency: SLOTS }, tenants: { heavy: { weight: 3 } } });

/** A fleet of 20 slots whose model takes 100 ms, on two runners; what others wait for beside a hog, and what share they get. */
export async function measureFairness(
  redis: RedisClient,
  options: ChildOptions,
  say: (line: string) => void,
): Promise<FairnessFigures> {
  const tenant = await onFleet(redis, options, besideTenant);
  say('fairness: beside a tenant');
  const besideSession = await onFleet(redis, options, besideOneSession);
  say('fairness: beside a session');
  return { hogSessions: HOG_SESSIONS, ...tenant, besideSession };
}

async function besideTenant(fleet: BenchFleet): Promise<Pick<FairnessFigures, 'burst' | 'steady' | 'shares'>> {
  await fleet.limit(HALF_EACH);
  const burstAlone = await fleet.waits(fleet.items(BURST), 'model');
  await fleet.limit(WEIGHTS);
  const steadyAlone = await fleet.waits(fleet.items(STEADY), 'answer', STEADY_PER_S);
  await fleet.limit(HALF_EACH);
  const hog = fleet.items(HOG_SESSIONS, 'hog');
  await fleet.send(hog);
  const burst = { alone: burstAlone, beside: await fleet.waits(fleet.items(BURST), 'model') };
  await fleet.limit(WEIGHTS);
  const steady = { alone: steadyAlone, beside: await fleet.waits(fleet.items(STEADY), 'answer', STEADY_PER_S) };
  const shares: Share[] = [];
  for (const [tenant, weight] of [
    ['even', 1],
    ['heavy', 3],
  ] as const)
    shares.push({ weight, ...(await fleet.share(tenant, hog)) });
  return { burst, steady, shares };
}

async function besideOneSession(fleet: BenchFleet): Promise<Beside> {
  await fleet.limit(WEIGHTS);
  const alone = await fleet.waits(fleet.items(STEADY), 'answer', STEADY_PER_S);
  const [first] = fleet.items(HOG_MESSAGES);
  const session = first?.session ?? 0;
  await fleet.send(fleet.items(HOG_MESSAGES).map((item) => ({ ...item, session })));
  return { alone, beside: await fleet.waits(fleet.items(STEADY), 'answer', STEADY_PER_S) };
}

async function onFleet<T>(redis: RedisClient, options: ChildOptions, measure: (fleet: BenchFleet) => Promise<T>): Promise<T> {
  await redis.flushall();
  const fleet = await BenchFleet.start(redis, options);
  try {
    // New processes are slow, and what comes first would be compared with what comes later.
    await fleet.waits(fleet.items(WARM_UP), 'answer');
    return await measure(fleet);
  } finally {
    await fleet.stop();
    await redis.flushall();
  }
}

/** One process that accepts and two runners. */
class BenchFleet {
  private readonly marks = new Map<string, number>();
  private next = 0;

  private constructor(
    private readonly redis: RedisClient,
    private readonly sender: BenchChild,
    private readonly runners: readonly BenchChild[],
  ) {}

  static async start(redis: RedisClient, options: ChildOptions): Promise<BenchFleet> {
    const sender = await BenchChild.start(new URL('./accept.process.js', import.meta.url), options);
    return new BenchFleet(
      redis,
      sender,
      await Promise.all(Array.from({ length: RUNNERS }, () => BenchChild.start(RUNNER, options))),
    );
  }

  /** One message each of so many new sessions. */
  items(count: number, tenant: BenchTenant = 'default'): Item[] {
    return Array.from({ length: count }, () => ({ n: this.next, session: this.next++, shape: 'slow' as const, tenant }));
  }

  /** From its end on every process admits by these limits. */
  async limit(limits: typeof WEIGHTS): Promise<void> {
    await this.sender.ask('limits', limits);
    await rest(LIMITS_HEARD_MS);
  }

  async send(items: Item[], perSecond?: number): Promise<void> {
    await this.sender.ask('send', { items, inFlight: HANDS, ...(perSecond !== undefined && { perSecond }) });
  }

  /** From accept to a place in the turn, ms. */
  async waits(items: Item[], to: Mark['place'], perSecond?: number): Promise<Percentiles> {
    await this.send(items, perSecond);
    const last = await this.until(items, to);
    return percentiles(items.map(({ n }, index) => (last[index] ?? 0) - (this.marks.get(`accept${n}`) ?? Number.NaN)));
  }

  /** The turns of a tenant with a hundredth of the hog's load, and those that the hog began meanwhile. The model stands still until all wait. */
  async share(tenant: BenchTenant, hog: readonly Item[]): Promise<{ turns: number; hogTurns: number }> {
    const items = this.items(LIGHT, tenant);
    await this.gate('closed');
    // What had passed the gate ends, and all slots are held in front of it: from here on both tenants have a backlog.
    await rest(REST_MS);
    await this.send(items);
    await waitUntil(
      'all of them wait',
      () => this.redis.zscore(new Keyspace(ONE_BUCKET).limits('waiting'), tenant),
      (waiting) => Number(waiting) === LIGHT,
      HANG_GUARD_MS,
    );
    await this.gate('open');
    const began = await this.until(items, 'model');
    const [from, to] = [Math.min(...began), Math.max(...began)];
    const between = hog.filter(({ n }) => {
      const at = this.marks.get(`model${n}`) ?? 0;
      return at >= from && at <= to;
    });
    return { turns: items.length, hogTurns: between.length };
  }

  private async gate(state: 'open' | 'closed'): Promise<void> {
    await Promise.all(this.runners.map((runner) => runner.ask('gate', state)));
  }

  async stop(): Promise<void> {
    await Promise.all([this.sender, ...this.runners].map((child) => child.stop()));
  }

  private async until(items: readonly Item[], place: Mark['place']): Promise<number[]> {
    const seen = async (): Promise<number[]> => {
      await this.read();
      return items.flatMap(({ n }) => this.marks.get(`${place}${n}`) ?? []);
    };
    return waitUntil(`${items.length} messages at ${place}`, seen, ({ length }) => length === items.length, HANG_GUARD_MS);
  }

  private async read(): Promise<void> {
    for (const child of [this.sender, ...this.runners])
      for (const { place, n, at } of await child.ask('marks', null)) this.marks.set(`${place}${n}`, at);
  }
}
