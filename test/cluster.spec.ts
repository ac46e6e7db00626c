import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Platform } from '#host';
import { type RedisClient, connect, mastersOf } from '#redis';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const BUCKETS = 4;
const SESSIONS = 60;
const SLOTS = 16_384;

let redis: RedisServer;
let judge: Judge;
let receiver: WebhookReceiver;
let fleet: Fleet;
let platform: Platform;
let monitor: RedisClient;
/** Keys of each script and of each MULTI that ran. */
const together: string[][] = [];

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start();
  receiver = await startWebhookReceiver({ dedupe: true });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: {
      redis: { buckets: BUCKETS },
      limits: { fleet: { concurrency: 20, turnsPerSecond: 1000 } },
      lanes: { sweepMs: 1000 },
      channels: { webhook: { accounts: { dedupe: { secret: 'a-test-webhook-secret', outboundUrl: receiver.url } } } },
    },
  });
  monitor = await record();
  platform = await openPlatform(fleet.configPath);
  await Promise.all([fleet.start('ingress'), fleet.start('runner', 2), fleet.start('dispatcher')]);
});
afterAll(async () => {
  monitor?.disconnect();
  await fleet?.close();
  await platform?.close();
  await Promise.all([judge?.close(), receiver?.close()]);
  await redis?.stop();
});

/** Watches everything that runs; what a script itself calls is told apart by its source. */
async function record(): Promise<RedisClient> {
  const base = connect(redis.url, 'worker');
  const watching = (await mastersOf(base)[0]?.monitor()) ?? expect.fail();
  base.disconnect();
  const open = new Map<string, string[]>();
  watching.on('monitor', (_time: string, args: string[], source: string) => {
    if (source === 'lua') return;
    const command = (args[0] ?? '').toUpperCase();
    if (command === 'MULTI') return void open.set(source, []);
    if (command === 'EXEC') {
      const keys = open.get(source);
      open.delete(source);
      if (keys) together.push(keys);
      return;
    }
    const keys = keysOf(command, args);
    if (command.startsWith('EVAL')) together.push(keys);
    open.get(source)?.push(...keys);
  });
  return watching;
}

/** Of the commands that Turnpike and BullMQ put into a MULTI or run with several keys. */
function keysOf(command: string, args: readonly string[]): string[] {
  if (command.startsWith('EVAL')) return args.slice(3, 3 + Number(args[2]));
  if (['DEL', 'UNLINK', 'EXISTS'].includes(command)) return args.slice(1);
  return args[1] === undefined ? [] : [args[1]];
}

/** CRC16/XMODEM of the hash tag, as the Redis Cluster specification has it. */
function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = key.indexOf('}', open + 1);
  const tag = open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}

/** Everything that a session can meet: mail, tools, sends, a cancel, a repeat, a quiet window, a dead delivery, the board, the sweeper. */
async function liveThroughEverything(): Promise<void> {
  receiver.fail({ kind: 'answer', status: 400 }, { kind: 'answer', status: 429, headers: { 'retry-after': '1' } });
  const conversations = Array.from({ length: SESSIONS }, (_, n) => `s${n}`);
  const accept = (conversation: string, n: number) =>
    platform.sessions.accept(envelopeOf(targetOf(conversation), n, `${conversation}/${n} do once,send`), {
      ...ACCEPT,
      quietMs: n === 2 ? 50 : 0,
    });
  await Promise.all(conversations.map((conversation) => accept(conversation, 1)));
  await Promise.all(conversations.map((conversation) => accept(conversation, 1)));
  await Promise.all(conversations.map((conversation) => accept(conversation, 2)));
  await platform.sessions.cancel(sessionOf('s0'), { what: 'all' });
  const [ingress] = fleet.of('ingress');
  const board = await fetch(`${ingress?.url}/board/api/queues`, { headers: { authorization: 'Bearer test-admin-token-0000' } });
  await board.text();
  await waitUntil(
    'all is quiet',
    () => Promise.all([platform.busy.count('turns'), platform.busy.count('deliveries')]),
    (busy) => busy.every((count) => count === 0),
  );
  expect((await platform.sweeper.sweep(0)).mail).toBe(0);
}

describe('several buckets', () => {
  proves('B112', 'every script and every MULTI touches keys of one hash slot only', async () => {
    expect(slotOf('123456789')).toBe(0x31c3 % SLOTS);
    await liveThroughEverything();
    expect(together.length).toBeGreaterThan(10 * SESSIONS);
    const crossing = together.filter((keys) => new Set(keys.map(slotOf)).size > 1);
    expect(crossing).toEqual([]);
  });

  proves('B112', 'sessions are spread: no bucket holds more than half of them, and no two buckets share a slot', async () => {
    const { keyspace } = platform;
    const heads = (await redis.cli('--scan', '--pattern', '*:h:*')).split('\n');
    expect(heads).toHaveLength(SESSIONS);
    const bySlot = Map.groupBy(heads, slotOf);
    expect(bySlot.size).toBe(BUCKETS);
    for (const [, held] of bySlot) expect(held.length).toBeLessThanOrEqual(SESSIONS / 2);
    expect(new Set(keyspace.buckets.map((bucket) => slotOf(keyspace.prefix(bucket)))).size).toBe(BUCKETS);
  });

  proves('B112', 'a process with another number of buckets refuses to start and says which number is right', async () => {
    const stranger = fleet.spawn('runner', { TURNPIKE_BUCKETS: '8' });
    stranger.ready.catch(() => undefined);
    const { code } = await stranger.exited;
    expect(code).not.toBe(0);
    expect(JSON.stringify(stranger.lines)).toContain(
      `This Redis holds a deployment with ${BUCKETS} bucket(s), the configuration says 8. Set redis.buckets to ${BUCKETS}`,
    );
  });
});
