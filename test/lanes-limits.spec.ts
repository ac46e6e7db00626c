import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Platform } from '#host';
import type { AgentId, SessionKey, TenantId } from '#kernel';
import { sessionKey } from '#routing';
import { Fleet } from './harness/fleet.js';
import { Judge } from './harness/judge.js';
import { ACCEPT, envelopeOf, openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const MODEL_MS = 150;
const LONG_MODEL_MS = 700;
const CONCURRENCY = 4;
const GUARD = { timeout: 60_000 };

let redis: RedisServer;
let judge: Judge;
let fleet: Fleet;
let platform: Platform;
/** When the model was asked, ms; each answer takes MODEL_MS. */
let asked: { at: number; about: string }[] = [];

beforeAll(async () => {
  redis = await startRedis();
  judge = await Judge.start({
    override: ({ at, about }) => {
      asked.push({ at, about });
      return { text: 'done', delayMs: about.startsWith('frugal') ? LONG_MODEL_MS : MODEL_MS };
    },
  });
  fleet = new Fleet({
    redisUrl: redis.url,
    modelUrl: judge.modelUrl,
    toolUrl: judge.toolUrl,
    config: { lanes: { sweepMs: 1000 }, limits: { fleet: { concurrency: CONCURRENCY, turnsPerSecond: 10_000 } } },
  });
  platform = await openPlatform(fleet.configPath);
  await fleet.start('runner', 3);
});
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await judge?.close();
  await redis?.stop();
});
beforeEach(() => {
  asked = [];
});

const setFleet = (concurrency: number, turnsPerSecond: number) =>
  platform.limits.change((limits) => ({ ...limits, fleet: { concurrency, turnsPerSecond } }));

const sessionIn = (tenant: string, conversation: string): SessionKey =>
  sessionKey({
    tenant: tenant as TenantId,
    agent: 'main' as AgentId,
    channel: 'webchat',
    account: 'default',
    chatType: 'direct',
    conversation,
  });

async function accept(tenant: string, conversation: string, n = 1): Promise<void> {
  const target = { ...targetOf(conversation), channel: 'webchat', account: 'default' };
  const envelope = envelopeOf(target, n, `${tenant}/${conversation}/${n}`);
  await platform.sessions.accept({ ...envelope, tenant: tenant as TenantId, session: sessionIn(tenant, conversation) }, ACCEPT);
}

const acceptMany = (tenant: string, count: number, from = 0) =>
  Promise.all(Array.from({ length: count }, (_, n) => accept(tenant, `${tenant}-${from + n}`)));

/** Every turn has ended: nothing is left in the lane (deliveries wait for a dispatcher, which is not part of this). */
async function allEnded(tenant: string, count: number, from = 0): Promise<void> {
  const ends = (): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        platform.sessions.transcript(sessionIn(tenant, `${tenant}-${from + n}`), 9).then(({ length }) => length),
      ),
    );
  await waitUntil('every turn has ended', ends, (seen) => seen.every((turns) => turns === 1));
}

/** Most questions begun within any `ms`: with answers at least as long, all of them were in the model together. */
function most(ms: number): number {
  return Math.max(...asked.map(({ at: from }) => asked.filter(({ at }) => at >= from && at < from + ms).length));
}

/** Some of the model's time passes before the first byte and after the last. */
const TOGETHER_MS = MODEL_MS - 20;

proves(
  ['QU-1', 'QU-4', 'G6'],
  'three runners together never ask the model for more turns at once than the fleet may have, and use all of it',
  async () => {
    await acceptMany('even', 60);
    await allEnded('even', 60);
    expect(asked).toHaveLength(60);
    expect(most(TOGETHER_MS)).toBe(CONCURRENCY);
  },
  GUARD,
);

proves(
  ['QU-1', 'G4', 'G6'],
  'the slots of a killed runner are used again, and no more than them',
  async () => {
    await acceptMany('killed', 40);
    await waitUntil(
      'the model is busy',
      () => asked.length,
      (count) => count >= 8,
    );
    const [victim] = fleet.of('runner');
    fleet.kill(victim ?? expect.fail());
    await allEnded('killed', 40);
    expect(most(TOGETHER_MS)).toBeLessThanOrEqual(CONCURRENCY);
    await fleet.start('runner');
  },
  GUARD,
);

proves(
  ['QU-1', 'G6'],
  'a limit that is changed while turns run and wait holds from then on',
  async () => {
    await acceptMany('changed', 60);
    await waitUntil(
      'the model is busy',
      () => asked.length,
      (count) => count >= 8,
    );
    await setFleet(1, 10_000);
    const lowered = asked.length;
    await waitUntil(
      'turns go on',
      () => asked.length,
      (count) => count >= lowered + CONCURRENCY + 5,
    );
    asked = asked.slice(lowered + CONCURRENCY);
    expect(most(TOGETHER_MS)).toBe(1);
    await setFleet(12, 10_000);
    asked = [];
    await allEnded('changed', 60);
    expect(most(TOGETHER_MS)).toBeGreaterThan(CONCURRENCY);
    expect(most(TOGETHER_MS)).toBeLessThanOrEqual(12);
    await setFleet(CONCURRENCY, 10_000);
  },
  GUARD,
);

proves(
  ['QU-4', 'G6'],
  'a tenant with 150 waiting sessions does not keep another tenant waiting',
  async () => {
    await acceptMany('hog', 150);
    await waitUntil(
      'the hog is at work',
      () => asked.length,
      (count) => count >= 8,
    );
    const before = asked.length;
    await accept('small', 'small-0');
    await allEnded('small', 1);
    const place = asked.findIndex(({ about }) => about.startsWith('small')) - before;
    expect(place).toBeLessThanOrEqual(2 * CONCURRENCY);
    await setFleet(50, 10_000);
    await allEnded('hog', 150);
  },
  GUARD,
);

proves(
  'QU-4',
  'a session with many messages gives way after its budget: others are not kept waiting behind it',
  async () => {
    await setFleet(1, 10_000);
    for (let n = 1; n <= 30; n++) await accept('chatty', 'chatty-0', n);
    await waitUntil(
      'the first turn runs',
      () => asked.length,
      (count) => count >= 1,
    );
    await accept('chatty', 'chatty-1');
    await allEnded('chatty', 1, 1);
    const place = asked.findIndex(({ about }) => about.startsWith('chatty/chatty-1/'));
    expect(place).toBeLessThanOrEqual(20);
    await waitUntil(
      'all are answered',
      () => platform.sessions.transcript(sessionIn('chatty', 'chatty-0'), 99).then(({ length }) => length),
      (count) => count === 30,
    );
  },
  GUARD,
);

proves(
  ['QU-1', 'G6'],
  'three runners together start turns at the rate of the fleet, and none is lost',
  async () => {
    const rate = 20;
    await setFleet(0, rate);
    await acceptMany('rated', 60);
    await allEnded('rated', 60);
    expect(asked).toHaveLength(60);
    expect(most(1000)).toBeLessThanOrEqual(rate * 1.1 + 1 + rate * 0.1);
  },
  GUARD,
);

proves(
  ['QU-1', 'QU-4'],
  'one turn is charged once: looking for more mail afterwards costs nothing of the rate',
  async () => {
    await setFleet(0, 0.2);
    await accept('frugal', 'frugal-0');
    await allEnded('frugal', 1);
    await waitUntil(
      'its activation has ended',
      () => platform.turns.activationQueues[0]?.getJobCounts('active', 'delayed', 'wait'),
      (counts) => Object.values(counts ?? {}).every((count) => count === 0),
    );
    // GCRA's theoretical arrival time, in microseconds: one turn costs 5 s.
    const paidUntil = Number(await platform.work.get(platform.keyspace.limits('rate:f'))) / 1000;
    expect(paidUntil).toBeGreaterThan(asked[0]?.at ?? Infinity);
    expect(paidUntil).toBeLessThanOrEqual((asked[0]?.at ?? 0) + 5000);
  },
  GUARD,
);
