import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { connect, Keyspace, type RedisClient } from '#redis';
import { ModelHealth, type BudgetName } from './index.js';

const keyspace = new Keyspace(1, 'model-health-spec:');
const KEY = keyspace.limits('model-rests');
const USES = keyspace.limits('model-keys');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
let redis: RedisClient;
let now = 0;
const clock = { now: () => now, monotonic: () => now };
const open: ModelHealth[] = [];

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'worker');
  await once(redis, 'ready');
});
beforeEach(() => redis.del(KEY));
afterAll(() => {
  for (const health of open) health.stop();
  redis.disconnect();
});

/** A runner that has just read what is known. */
async function runner(): Promise<ModelHealth> {
  const health = new ModelHealth(redis, keyspace, clock);
  await health.start();
  health.stop();
  open.push(health);
  return health;
}

/** Lets time pass, for Redis and for every runner. */
async function pass(ms: number): Promise<void> {
  now += ms;
  for (const [id, entry] of Object.entries(await redis.hgetall(KEY))) {
    const [until, step, probe] = entry.split('|');
    await redis.hset(KEY, id, [Number(until) - ms, step, Math.max(0, Number(probe) - ms)].join('|'));
  }
  for (const account of await redis.zrange(USES, '0', '-1')) await redis.zincrby(USES, -ms, account);
}

const M1: BudgetName = { account: 'k1', model: 'm1' };
const M2: BudgetName = { account: 'k1', model: 'm2' };
const OTHER: BudgetName = { account: 'k2', model: 'm1' };
const fails = (health: ModelHealth, name: BudgetName, more: { of?: 'model' | 'key'; long?: boolean; leastMs?: number } = {}) =>
  health.rest(name, { of: 'model', long: false, leastMs: undefined, ...more });

/** ms until it is no longer resting, to the second. */
async function restOf(name: BudgetName): Promise<number> {
  const health = await runner();
  const began = now;
  while (health.state(name) === 'resting') now += SECOND;
  const ms = now - began;
  now = began;
  return ms;
}

describe('MO-3 rests', () => {
  test('MO-3 B058 a rest is 30 s, 1 min, then 5 min; it ends by itself, and a success begins anew', async () => {
    const health = await runner();
    for (const expected of [30 * SECOND, MINUTE, 5 * MINUTE, 5 * MINUTE]) {
      await fails(health, M1);
      expect(await restOf(M1)).toBe(expected);
      await pass(expected + 1);
      expect((await runner()).state(M1)).toBe('due');
    }
    await health.recovered(M1);
    expect([health.state(M1), (await runner()).state(M1)]).toEqual(['well', 'well']);
    await fails(health, M1);
    expect(await restOf(M1)).toBe(30 * SECOND);
  });

  test('MO-3 B058 what was long ago is forgotten; calls that were under way say nothing new', async () => {
    const health = await runner();
    await Promise.all([fails(health, M1), fails(health, M1), fails(await runner(), M1)]);
    expect(await restOf(M1)).toBe(30 * SECOND);
    await pass(2 * 60 * MINUTE);
    expect((await runner()).state(M1)).toBe('well');
    await fails(health, M1);
    expect(await restOf(M1)).toBe(30 * SECOND);
  });

  test('MO-3 B058 a model rests alone; a key rests with all its models; another key does not', async () => {
    const [one, other] = [await runner(), await runner()];
    await fails(one, M1);
    expect([one.state(M1), one.state(M2), one.state(OTHER)]).toEqual(['resting', 'well', 'well']);
    await fails(one, M2, { of: 'key' });
    expect([one.state(M1), one.state(M2), one.state(OTHER)]).toEqual(['resting', 'resting', 'well']);
    expect([other.state(M1), (await runner()).state(M2)]).toEqual(['well', 'resting']);
  });

  test.each([
    [{ long: true }, 10 * MINUTE],
    [{ leastMs: 401 * SECOND }, 401 * SECOND],
    [{ leastMs: 5 * SECOND }, 30 * SECOND],
    [{ leastMs: 24 * 60 * MINUTE }, 60 * MINUTE],
  ])('MO-3 %j rests %i ms: Retry-After is a floor, an hour the most', async (how, expected) => {
    await fails(await runner(), M1, how);
    expect(await restOf(M1)).toBe(expected);
  });

  test('MO-3 B058 who starts anew reads what is known, and makes it no longer', async () => {
    await fails(await runner(), M1);
    await pass(20 * SECOND);
    for (let n = 0; n < 3; n++) await runner();
    expect(await restOf(M1)).toBe(10 * SECOND);
  });
});

test('MO-3 when a rest is over one of all runners finds out; when it dies, another one after 30 s', async () => {
  const runners = await Promise.all([runner(), runner(), runner()]);
  await fails(runners[0] ?? expect.fail(), M1, { of: 'key' });
  expect(await runners[1]?.mayProbe(M1)).toBe(false);
  await pass(30 * SECOND + 1);
  const asked = await Promise.all(runners.flatMap((one) => [one.mayProbe(M1), one.mayProbe(M2)]));
  expect(asked.filter(Boolean)).toHaveLength(1);
  await pass(30 * SECOND + 1);
  expect(await runners[2]?.mayProbe(M1)).toBe(true);
});

test('MO-3 every runner knows when a key was last used by any of them, within its next look', async () => {
  await redis.del(USES);
  const [one, other] = [await runner(), await runner()];
  const order = (health: ModelHealth) => ['k3', 'k2', 'k1', 'k0'].toSorted((a, b) => health.lastUse(a) - health.lastUse(b));
  one.use('k1');
  await pass(5 * SECOND);
  one.use('k2');
  expect([one.lastUse('k1') < one.lastUse('k2'), other.lastUse('k2')]).toEqual([true, Number.NEGATIVE_INFINITY]);
  await one.start();
  await pass(SECOND);
  other.use('k3');
  await other.start();
  expect(order(other)).toEqual(['k0', 'k1', 'k2', 'k3']);
  await pass(SECOND);
  one.use('k1');
  await one.start();
  expect(order(await runner())).toEqual(['k0', 'k2', 'k3', 'k1']);
  expect(await redis.pttl(USES)).toBeGreaterThan(0);
  for (const health of [one, other]) health.stop();
});

test('MO-3 what could not be told is told the next time', async () => {
  await redis.del(USES);
  const client = connect(inject('redisUrl'), 'worker');
  const health = new ModelHealth(client, keyspace, clock);
  health.use('k1');
  client.disconnect();
  await expect(health.start()).rejects.toThrow();
  await client.connect();
  await health.start();
  expect((await runner()).lastUse('k1')).toBeGreaterThan(now - SECOND);
  health.stop();
  client.disconnect();
});

test('MO-3 G7 what is kept is one key that expires, and where all are well it is not there', async () => {
  const health = await runner();
  expect([health.state(M1), await redis.exists(KEY)]).toEqual(['well', 0]);
  await fails(health, M1);
  expect(await redis.pttl(KEY)).toBeGreaterThan(0);
  await pass(24 * 60 * MINUTE);
  await runner();
  expect(await redis.exists(KEY)).toBe(0);
});
