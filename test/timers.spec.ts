import { afterAll, beforeAll, expect, inject } from 'vitest';
import type { SessionKey } from '#kernel';
import { Timers, type Timer } from '#lanes';
import { connect, Keyspace, type RedisClient } from '#redis';
import { sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let redis: RedisClient;
let timers: Timers;
const fired: string[] = [];
const session: SessionKey = sessionOf('timers');
const timer = (id: string): Timer => ({ session, id, envelope: JSON.stringify({ id }) });

beforeAll(() => {
  redis = connect(inject('redisUrl'), 'worker');
  timers = new Timers(redis, new Keyspace(2, 'timers-spec'));
});

afterAll(async () => {
  await timers.close();
  redis.disconnect();
});

proves('QU-1', 'a timer fires once, a cleared one never, and one whose delivery failed again', async () => {
  let failures = 1;
  await timers.set(timer('kept'), 150);
  await timers.set(timer('kept'), 150);
  await timers.set(timer('cleared'), 100);
  expect(await timers.clear(session, 'cleared')).toBe(true);
  expect(await timers.clear(session, 'never-set')).toBe(false);
  const stop = timers.start(async ({ id }) => {
    if (failures-- > 0) throw new Error('not yet');
    fired.push(id);
  });
  await timers.set(timer('after'), 1500);
  await waitUntil(
    'both have fired',
    () => fired.length,
    (count) => count === 2,
  );
  await stop();
  expect(fired).toEqual(['kept', 'after']);
});
