import { cpus, loadavg } from 'node:os';
import { systemClock } from '#kernel';
import { connect, type RedisClient } from '#redis';
import { BenchChild, type ChildOptions } from '../bench/bench-child.js';
import { measureFootprint } from '../bench/footprint.js';
import { measureHttp } from '../bench/http-phase.js';
import { measureLoad, type Load } from '../bench/load-phase.js';
import { median } from '../bench/median.js';
import { redisVersion } from '../bench/redis-stats.js';
import { onFreshSide } from '../bench/side.js';
import { itemsOf } from '../bench/workload.js';
import { startRedis } from '../redis-server.js';
import type { Figures } from './figures.js';

const MESSAGES = 6_000;
const CONCURRENCY = 50;
const STARTS = 5;
const SESSIONS = 200;
const APPS = ['ingress', 'runner', 'dispatcher'] as const;

/** Takes what the simulation and docs/scaling.md go by, on this machine and a Redis of its own: about a minute. */
export async function measure(say: (line: string) => void): Promise<Figures> {
  const server = await startRedis();
  const redis = connect(server.url, 'worker');
  const options: ChildOptions = {
    redisUrl: server.url,
    concurrency: CONCURRENCY,
    countRoundTrips: false,
    profileDir: undefined,
  };
  const loadAverage = loadavg()[0] ?? 0;
  try {
    const full = (sessions: number, messages: number) =>
      onFreshSide(redis, 'full', options, (side) => measureLoad(side, redis, { sessions, messages }));
    const alone = perMessage(await full(MESSAGES, 1));
    const together = perMessage(await full(MESSAGES / 10, 10));
    say('CPU of a message');
    await redis.flushall();
    const { nodeUs } = await measureHttp(redis, options);
    await redis.flushall();
    const { busy, idle } = await measureFootprint(redis, options);
    say('HTTP, bytes of a session');
    const leftovers = await onFreshSide(redis, 'full', options, async (side) => {
      await side.sender.ask('send', { items: itemsOf({ sessions: SESSIONS, messages: 1 }), inFlight: CONCURRENCY });
      await side.untilHandled(SESSIONS);
      return leftoversOf(redis);
    });
    const starts = [];
    for (const app of APPS) starts.push([app, await startMs(app, options)] as const);
    say('starts of processes');
    return {
      measuredOn: new Date(systemClock.now()).toISOString().slice(0, 10),
      machine: `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, Redis ${await redisVersion(redis)}`,
      loadAverage: rounded(loadAverage, 1),
      messages: MESSAGES,
      ingressUs: rounded(nodeUs),
      alone,
      together,
      startMs: Object.fromEntries(starts) as Figures['startMs'],
      bytes: { waiting: rounded(busy), idle: rounded(idle.head + idle.transcript) },
      leftovers,
    };
  } finally {
    redis.disconnect();
    await server.stop();
  }
}

function perMessage({ redisUs, nodeUsBy }: Load): Figures['alone'] {
  const { runner = Number.NaN, dispatcher = Number.NaN } = nodeUsBy;
  return { runnerUs: rounded(runner), dispatcherUs: rounded(dispatcher), redisUs: rounded(redisUs) };
}

/** What expires by itself, by kind of key, for each message. */
async function leftoversOf(redis: RedisClient): Promise<Figures['leftovers']> {
  const kinds = new Map<string, { bytes: number; seconds: number }>();
  for (const name of await redis.keys('*')) {
    const [kind = ''] = /(?<=\}:)[a-z]+(?=:)/.exec(name) ?? [];
    const seconds = (await redis.pttl(name)) / 1000;
    if (seconds <= 0 || kind === '') continue;
    const sum = kinds.get(kind) ?? { bytes: 0, seconds: 0 };
    sum.bytes += ((await redis.memory('USAGE', name, 'SAMPLES', 0)) ?? 0) / SESSIONS;
    kinds.set(kind, { ...sum, seconds: Math.max(sum.seconds, seconds) });
  }
  const all = [...kinds].map(([kind, { bytes, seconds }]) => ({ kind, bytes: rounded(bytes), seconds: Math.ceil(seconds) }));
  // Not what all messages share, or what is gone in a moment.
  return all.filter(({ bytes }) => bytes > 1);
}

async function startMs(app: (typeof APPS)[number], options: ChildOptions): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const began = performance.now();
    const child = await BenchChild.start(new URL(`../bench/${app}.process.js`, import.meta.url), options);
    times.push(performance.now() - began);
    await child.stop();
  }
  return rounded(median(times));
}

function rounded(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}
