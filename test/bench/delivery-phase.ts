import type { OutboxRow } from '#contracts';
import type { Platform } from '#host';
import { outboxRowId, turnIdOf, type MessageId } from '#kernel';
import type { RedisClient } from '#redis';
import { waitUntil } from '../harness/wait-until.js';
import { openLanes } from '../lanes-world.js';
import { BenchChild, type ChildOptions } from './bench-child.js';
import { envelopeOf } from './bench-message.js';
import { measureLoad } from './load-phase.js';
import { median } from './median.js';
import type { Item } from './questions.js';
import { carryOut } from './send-order.js';
import { onFreshSide } from './side.js';
import { itemsOf, nameOf, totalOf, type Workload } from './workload.js';

/** A backlog worked off by two processes: jobs of BullMQ that nobody does anything with, and deliveries to a channel that takes at once. */
export interface DeliveryFigures {
  workload: string;
  rawPerS: number;
  /** No limit on sends, as at a generic webhook. */
  deliveredPerS: number;
  /** Under the rates of a bot, a chat and a group, all too high to be felt. */
  limitedPerS: number;
  /** delivered / raw and limited / raw: the median of each round's own. */
  ratio: number;
  limitedRatio: number;
}

const DISPATCHER = new URL('./dispatcher.process.js', import.meta.url);
const LIMITED = new URL('./limited-dispatcher.process.js', import.meta.url);
const HANG_GUARD_MS = 300_000;
const IN_FLIGHT = 50;
const WARM_UP: Workload = { sessions: 100, messages: 10 };
const WARM_UP_FROM = 10_000_000;

export async function measureDeliveries(
  redis: RedisClient,
  workload: Workload,
  rounds: number,
  options: ChildOptions,
): Promise<DeliveryFigures> {
  const [raw, delivered, limited]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    raw.push((await onFreshSide(redis, 'raw', options, (side) => measureLoad(side, redis, workload))).workedPerS);
    delivered.push(await perSecond(DISPATCHER, redis, workload, options));
    limited.push(await perSecond(LIMITED, redis, workload, options));
  }
  const ratioTo = (figures: readonly number[]): number =>
    median(figures.map((figure, round) => figure / (raw[round] ?? Number.NaN)));
  const rates = { rawPerS: median(raw), deliveredPerS: median(delivered), limitedPerS: median(limited) };
  return { workload: nameOf(workload), ...rates, ratio: ratioTo(delivered), limitedRatio: ratioTo(limited) };
}

async function perSecond(program: URL, redis: RedisClient, workload: Workload, options: ChildOptions): Promise<number> {
  await redis.flushall();
  const platform = await openLanes(options.redisUrl);
  const dispatchers = await Promise.all([1, 2].map(() => BenchChild.start(program, options)));
  const handled = async (): Promise<number> =>
    (await Promise.all(dispatchers.map((each) => each.ask('handled', null)))).reduce((sum, count) => sum + count, 0);
  const until = (count: number) => waitUntil(`${count} deliveries`, handled, (seen) => seen >= count, HANG_GUARD_MS);
  const gates = (state: 'open' | 'closed') => Promise.all(dispatchers.map((each) => each.ask('gate', state)));
  try {
    await relayAll(platform, itemsOf(WARM_UP, WARM_UP_FROM));
    await until(totalOf(WARM_UP));
    await gates('closed');
    await relayAll(platform, itemsOf(workload));
    const began = performance.now();
    await gates('open');
    await until(totalOf(WARM_UP) + totalOf(workload));
    return (totalOf(workload) / (performance.now() - began)) * 1000;
  } finally {
    await Promise.all([...dispatchers.map((each) => each.stop()), platform.close()]);
  }
}

async function relayAll(platform: Platform, items: Item[]): Promise<void> {
  await carryOut({ items, inFlight: IN_FLIGHT }, (item) => platform.relay.relay([{ row: rowOf(item), number: 0 }]));
}

function rowOf(item: Item): OutboxRow {
  const { id, tenant, session, target, text } = envelopeOf(item);
  const turn = turnIdOf(id as MessageId, 0);
  return { v: 1, id: outboxRowId(turn, 1), tenant, session, turn, n: 1, mode: 'final', fellBack: false, target, text, at: 0 };
}
