import type { Queue } from 'bullmq';
import type { JobCount } from '#telemetry';
import { loadScript, redisTime, type Bucket, type Keyspace, type RedisClient } from '#redis';
import type { FleetLimits } from './fleet-limits.js';
import type { LaneName } from './lane.js';

/** Work of one lane, over the whole fleet. */
export interface LaneLoad {
  lane: LaneName;
  /** Keys that more workers would take up; what limits hold back is not among them. */
  waiting: number;
  active: number;
  delayed: number;
  /** Of the oldest work that nobody has taken up; of deliveries, that has not left. */
  oldestAgeMs: number;
}

export interface FleetWork {
  /** Of each queue that is there whether or not there are sessions. */
  jobs: readonly JobCount[];
  turns: LaneLoad;
  deliveries: LaneLoad;
  /** Sessions with mail that no runner has, whatever holds them back. */
  sessionsReady: number;
  /** Where there are limits: sessions with a slot, and those that queue for one. */
  slots: { running: number; waiting: number };
}

const STATES = ['waiting', 'active', 'delayed', 'failed'] as const;
type Counts = Record<(typeof STATES)[number], number>;

const oldestWaitingScript = loadScript(import.meta.dirname, 'oldest-waiting', 'time');
const oldestDeliveryScript = loadScript(import.meta.dirname, 'oldest-delivery', 'time');

/**
 * How much work there is: what autoscaling and alerts go by (docs/scaling.md). The same from every process, and read in a few
 * commands for each bucket, whatever the number of sessions.
 */
export class Backlog {
  /**
   * @param redis one that fails while Redis is away: a scrape does not wait for it
   * @param queues by name; each has one queue for each bucket
   */
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly limits: FleetLimits,
    private readonly queues: Readonly<Record<LaneName, readonly Queue[]> & Record<string, readonly Queue[]>>,
  ) {}

  async read(): Promise<FleetWork> {
    const { keyspace: k, queues } = this;
    const [lines, counted, turnsAge, deliveriesAge, now] = await Promise.all([
      this.limits.lines(),
      Promise.all(Object.entries(queues).map(async ([queue, buckets]) => ({ queue, ...(await countsOf(buckets)) }))),
      this.oldest((bucket) =>
        oldestWaitingScript.run(
          this.redis,
          [k.activation('turns', bucket, 'wait')],
          [k.activation('turns', bucket, ''), k.mailboxPrefix(bucket)],
        ),
      ),
      this.oldest((bucket) => oldestDeliveryScript.run(this.redis, [k.busy('deliveries', bucket)], [k.deliveriesPrefix(bucket)])),
      redisTime(this.redis),
    ]);
    const { running, waiting, runnable, since } = lines;
    const of = (lane: LaneName): Counts => counted.find(({ queue }) => queue === lane) ?? NONE;
    const inLineMs = since === undefined ? 0 : now - since;
    const turns = { ...loadOf('turns', of('turns')), oldestAgeMs: Math.max(turnsAge, inLineMs) };
    return {
      jobs: counted.flatMap(({ queue, ...counts }) => STATES.map((state) => ({ queue, state, count: counts[state] }))),
      turns: { ...turns, waiting: turns.waiting + runnable },
      deliveries: { ...loadOf('deliveries', of('deliveries')), oldestAgeMs: deliveriesAge },
      sessionsReady: turns.waiting + waiting,
      slots: { running, waiting },
    };
  }

  private async oldest(ask: (bucket: Bucket) => Promise<unknown>): Promise<number> {
    return Math.max(...(await Promise.all(this.keyspace.buckets.map(ask))).map(Number));
  }
}

const NONE: Counts = { waiting: 0, active: 0, delayed: 0, failed: 0 };

async function countsOf(buckets: readonly Queue[]): Promise<Counts> {
  const all = await Promise.all(buckets.map((queue) => queue.getJobCounts(...STATES)));
  const sums = { ...NONE };
  for (const counts of all) for (const state of STATES) sums[state] += counts[state] ?? 0;
  return sums;
}

function loadOf(lane: LaneName, { waiting, active, delayed }: Counts): Omit<LaneLoad, 'oldestAgeMs'> {
  return { lane, waiting, active, delayed };
}
