import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, Keyspace, type RedisClient } from '#redis';
import { RequestLimiter } from './request-limiter.js';

const WINDOW_MS = 200;
const keyspace = new Keyspace(1, 'request-limiter-spec:');
let replicas: RedisClient[];

beforeAll(async () => {
  replicas = [connect(inject('redisUrl'), 'request'), connect(inject('redisUrl'), 'request')];
  await Promise.all(replicas.map((redis) => once(redis, 'ready')));
});
afterAll(() => replicas.forEach((redis) => redis.disconnect()));

const limiters = () => replicas.map((redis) => new RequestLimiter(redis, keyspace, WINDOW_MS));

test('G6 two replicas together let the limit through, whoever is asked', async () => {
  const asked = replicas.map((redis) => new RequestLimiter(redis, keyspace));
  const counted = await Promise.all(Array.from({ length: 10 }, () => asked.map((one) => one.count('shared', 7))).flat());
  expect(counted.filter(({ waitMs }) => waitMs === 0).map(({ left }) => left)).toEqual(
    expect.arrayContaining([6, 5, 4, 3, 2, 1, 0]),
  );
  expect(counted.filter(({ waitMs }) => waitMs === 0)).toHaveLength(7);
});

test('IN-6 another caller is not touched', async () => {
  const [one] = limiters();
  for (let n = 0; n < 10; n++) await one?.count('loud', 3);
  expect(await one?.count('quiet', 3)).toMatchObject({ waitMs: 0, left: 2 });
});

for (const most of [1, 2, 5]) {
  test(`IN-6 after the wait it names there is room, and before it never more than ${most} in a window`, async () => {
    const [redis] = replicas;
    const [one] = limiters();
    const redisMs = async (): Promise<number> => {
      const [s = 0, us = 0] = (await redis?.time()) ?? [];
      return Number(s) * 1000 + Number(us) / 1000;
    };
    const passed: number[] = [];
    for (let refusals = 0; refusals < 3;) {
      const ms = (await one?.count(`steady-${most}`, most))?.waitMs;
      if (ms === 0) passed.push(await redisMs());
      else {
        refusals++;
        expect(ms).toBeLessThanOrEqual(2 * WINDOW_MS);
        await until(redisMs, (await redisMs()) + (ms ?? 0) + 1);
        expect(await one?.count(`steady-${most}`, most), 'room after the wait').toMatchObject({ waitMs: 0 });
        passed.push(await redisMs());
      }
    }
    for (const at of passed)
      expect(passed.filter((other) => other > at - WINDOW_MS && other <= at).length).toBeLessThanOrEqual(most + 1);
  });
}

test('G7 nothing is kept of a caller that went quiet', async () => {
  const [one] = limiters();
  await one?.count('gone', 5);
  const ttl = await replicas[0]?.pttl(keyspace.limits('requests:gone'));
  expect(ttl).toBeGreaterThan(0);
  expect(ttl).toBeLessThanOrEqual(2 * WINDOW_MS);
});

/** Waits on Redis's own clock. */
async function until(now: () => Promise<number>, at: number): Promise<void> {
  while ((await now()) < at);
}
