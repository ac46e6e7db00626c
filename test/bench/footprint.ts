import type { RedisClient } from '#redis';
import { setTimeout as rest } from 'node:timers/promises';
import { OF_THE_DEPLOYMENT } from '../harness/deployment-keys.js';
import type { ChildOptions } from './bench-child.js';
import { Side } from './side.js';
import { itemsOf, type Workload } from './workload.js';

/** Bytes in Redis of one session, by what they are for. */
export interface Footprint {
  /** One message waits, its activation too. */
  busy: number;
  idle: IdleBytes;
  idleAfter10: IdleBytes;
}

export interface IdleBytes {
  head: number;
  transcript: number;
  /** Keys that go by themselves: idempotency, seen ring, receipts, the conversation's fence. */
  expiring: number;
  /** Kinds of keys that stay and are neither head nor transcript: none (G7). */
  staying: string[];
}

const SESSIONS = 200;
const SETTLE_MS = 500;

interface Key {
  name: string;
  bytes: number;
  expires: boolean;
}

/** Weighs 200 sessions on an empty Redis, with MEMORY USAGE of every key they have. */
export async function measureFootprint(redis: RedisClient, options: ChildOptions): Promise<Footprint> {
  const sender = await Side.startSender('full', options);
  await sender.sender.ask('send', { items: itemsOf({ sessions: SESSIONS, messages: 1 }), inFlight: 1 });
  await sender.stop();
  const busy = (await keysOf(redis)).reduce((sum, { bytes }) => sum + bytes, 0) / SESSIONS;
  const side = await Side.start('full', options);
  await side.untilHandled(SESSIONS);
  await rest(SETTLE_MS);
  const idle = idleBytes(await keysOf(redis));
  const more: Workload = { sessions: SESSIONS, messages: 9 };
  await side.sender.ask('send', { items: itemsOf(more).map(({ n, session }) => ({ n: n + SESSIONS, session })), inFlight: 50 });
  await side.untilHandled(SESSIONS * 10);
  await rest(SETTLE_MS);
  const idleAfter10 = idleBytes(await keysOf(redis));
  await side.stop();
  return { busy, idle, idleAfter10 };
}

function idleBytes(keys: readonly Key[]): IdleBytes {
  const total = (chosen: readonly Key[]): number => chosen.reduce((sum, { bytes }) => sum + bytes, 0) / SESSIONS;
  const isKind = (kind: string) => (key: Key) => key.name.includes(`}:${kind}:`);
  const staying = keys.filter(
    (key) => !key.expires && !isKind('h')(key) && !isKind('t')(key) && !OF_THE_DEPLOYMENT.test(key.name),
  );
  return {
    head: total(keys.filter(isKind('h'))),
    transcript: total(keys.filter(isKind('t'))),
    expiring: total(keys.filter(({ expires }) => expires)),
    staying: staying.map(({ name }) => name),
  };
}

async function keysOf(redis: RedisClient): Promise<Key[]> {
  const names = await redis.keys('*');
  return Promise.all(
    names.map(async (name) => ({
      name,
      bytes: (await redis.memory('USAGE', name, 'SAMPLES', 0)) ?? 0,
      expires: (await redis.pttl(name)) >= 0,
    })),
  );
}
