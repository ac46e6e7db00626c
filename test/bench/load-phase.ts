import { setTimeout as rest } from 'node:timers/promises';
import type { RedisClient } from '#redis';
import { dearest, redisUsage, type CommandCost, type RedisUsage } from './redis-stats.js';
import type { Usage } from './questions.js';
import type { Side } from './side.js';
import { itemsOf, totalOf, type Workload } from './workload.js';

/** What one workload cost on one side, per message. */
export interface Load {
  redisUs: number;
  nodeUs: number;
  /** Redis and Node. */
  cpuUs: number;
  redisCommands: number;
  commandsSent: number;
  acceptedPerS: number;
  workedPerS: number;
  /** Accepted first, then worked off: the whole way. */
  messagesPerS: number;
  /** Node µs by process. */
  nodeUsBy: Record<string, number>;
  dearestCommands: CommandCost[];
}

const WARM_UP: Workload = { sessions: 100, messages: 10 };
const WARM_UP_FROM = 10_000_000;
const IN_FLIGHT = 50;
/** Claims and jobs end a moment after their last message has. */
const SETTLE_MS = 250;
const DEAREST = 20;

/** Gives a workload to a side that is warm and held back, then lets it work it off. Start-up and warm-up are not measured. */
export async function measureLoad(side: Side, redis: RedisClient, workload: Workload): Promise<Load> {
  await warmUp(side, workload);
  const messages = totalOf(workload);
  const done = await side.handled();
  await side.gate(side.first, 'closed');
  const before = await look(side, redis);
  await side.sender.ask('send', { items: itemsOf(workload), inFlight: IN_FLIGHT });
  const accepted = performance.now();
  await side.gate(side.first, 'open');
  await side.untilHandled(done + messages);
  const worked = performance.now();
  await rest(SETTLE_MS);
  const after = await look(side, redis);
  return loadOf(side, messages, before, after, { acceptMs: accepted - before.at, workMs: worked - accepted });
}

async function warmUp(side: Side, { shape }: Workload): Promise<void> {
  const items = itemsOf({ ...WARM_UP, ...(shape && { shape }) }, WARM_UP_FROM);
  await side.sender.ask('send', { items, inFlight: IN_FLIGHT });
  await side.untilHandled(totalOf(WARM_UP));
  await rest(SETTLE_MS);
}

interface Look {
  redis: RedisUsage;
  usages: Usage[];
  at: number;
}

async function look(side: Side, redis: RedisClient): Promise<Look> {
  return { redis: await redisUsage(redis), usages: await side.usage(), at: performance.now() };
}

function loadOf(
  side: Side,
  messages: number,
  before: Look,
  after: Look,
  { acceptMs, workMs }: { acceptMs: number; workMs: number },
): Load {
  const used = (of: (usage: Usage) => number): number[] =>
    after.usages.map((usage, index) => {
      const earlier = before.usages[index];
      return (of(usage) - (earlier ? of(earlier) : 0)) / messages;
    });
  const nodeBy = used(({ cpuUs }) => cpuUs);
  const redisUs = (after.redis.cpuUs - before.redis.cpuUs) / messages;
  const nodeUs = sum(nodeBy);
  return {
    redisUs,
    nodeUs,
    cpuUs: redisUs + nodeUs,
    redisCommands: (after.redis.commands - before.redis.commands) / messages,
    commandsSent: sum(used(({ sent }) => sent)),
    acceptedPerS: (messages / acceptMs) * 1000,
    workedPerS: (messages / workMs) * 1000,
    messagesPerS: (messages / (acceptMs + workMs)) * 1000,
    nodeUsBy: Object.fromEntries(
      side.all.map(({ name }, index) => [
        index > 1 && name === side.all[index - 1]?.name ? `${name} 2` : name,
        nodeBy[index] ?? 0,
      ]),
    ),
    dearestCommands: dearest(before.redis, after.redis, messages, DEAREST),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
