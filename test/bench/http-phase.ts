import type { RedisClient } from '#redis';
import { ADMIN_TOKEN, BenchChild, type ChildOptions } from './bench-child.js';
import { percentiles, type Percentiles } from './percentiles.js';
import { redisUsage } from './redis-stats.js';
import type { Item } from './questions.js';
import { carryOut } from './send-order.js';
import { itemsOf, type Workload } from './workload.js';

/** POST /api/sessions/:key/messages at a real ingress; the posting process is not counted. */
export interface HttpFigures {
  acceptedPerS: number;
  /** Of the ingress process, µs a request. */
  nodeUs: number;
  redisUs: number;
  ms: Percentiles;
}

const IN_FLIGHT = 50;
const WARM_UP: Workload = { sessions: 100, messages: 10 };
const MEASURED: Workload = { sessions: 500, messages: 4 };

/** One ingress process and nobody who works: what the way in costs when it comes by HTTP. */
export async function measureHttp(redis: RedisClient, options: ChildOptions): Promise<HttpFigures> {
  const ingress = await BenchChild.start(new URL('./ingress.process.js', import.meta.url), options);
  try {
    const url = await ingress.ask('url', null);
    const times: number[] = [];
    const post = async ({ n, session }: Item): Promise<void> => {
      const began = performance.now();
      await postMessage(`${url}/api/sessions/s${session}/messages`, `#${n} `.padEnd(100, 'x'));
      times.push(performance.now() - began);
    };
    await carryOut({ items: itemsOf(WARM_UP), inFlight: IN_FLIGHT }, post);
    times.length = 0;
    const look = async () => ({ node: await ingress.ask('usage', null), redis: await redisUsage(redis), at: performance.now() });
    const before = await look();
    await carryOut({ items: itemsOf(MEASURED), inFlight: IN_FLIGHT }, post);
    const after = await look();
    return {
      acceptedPerS: (times.length / (after.at - before.at)) * 1000,
      nodeUs: (after.node.cpuUs - before.node.cpuUs) / times.length,
      redisUs: (after.redis.cpuUs - before.redis.cpuUs) / times.length,
      ms: percentiles(times),
    };
  } finally {
    await ingress.stop();
  }
}

async function postMessage(url: string, message: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ message }) });
  const answer = await response.text();
  if (response.status !== 202) throw new Error(`POST ${url} was answered ${response.status}: ${answer}`);
}
