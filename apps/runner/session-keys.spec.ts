import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ModelProvider } from '#agent';
import type { TurnRecord } from '#contracts';
import { ModelHealth } from '#limits';
import { connect, Keyspace, type RedisClient } from '#redis';
import { createLogger } from '#telemetry';
import { SessionKeys } from './session-keys.js';
import { SharedHealth } from './shared-health.js';

const { logger } = createLogger({ level: 'silent', name: 'test' });
const key = (account: string): ModelProvider => ({
  id: 'house',
  account,
  stream: () => Promise.reject(new Error('not asked')) as never,
});
const [one, two] = [key('one'), key('two')];
const record = (turn: string, accounts?: Record<string, string>): TurnRecord => ({
  v: 1,
  turn,
  outcome: 'answered',
  inputs: [],
  messages: [],
  at: 0,
  ...(accounts && { accounts }),
});
let redis: RedisClient;

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'worker');
  await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

function world(history: TurnRecord[] = []) {
  const models = new ModelHealth(redis, new Keyspace(1, 'session-keys-spec:'));
  const keys = new SessionKeys(history, { models, health: new SharedHealth(models, logger) });
  const order = () => keys.order({ keys: [one, two], model: 'm' }).map(({ account }) => account);
  return { models, keys, order };
}

test('MO-3 the newest record that names a key of the provider counts, and one that is gone does not', () => {
  const history = [record('a', { house: 'one' }), record('b', { house: 'two' }), record('c', { other: 'one' }), record('d')];
  expect(world(history).order()).toEqual(['two', 'one']);
  expect(world([record('a', { house: 'gone' })]).order()).toEqual(['one', 'two']);
});

test('MO-3 sessions that begin at once take different keys, and one turn has one order', () => {
  const { models, keys, order } = world();
  expect([order(), order()]).toEqual([
    ['one', 'two'],
    ['one', 'two'],
  ]);
  expect(models.lastUse('one')).toBeGreaterThan(models.lastUse('two'));
  expect(keys.kept).toEqual({});
});

test('MO-3 a session moves when its key rests, and comes back when that one only had no room', async () => {
  const { models, keys, order } = world([record('a', { house: 'one' })]);
  order();
  keys.used({ provider: two, model: 'm' }, 'answered');
  expect(keys.kept).toEqual({ house: 'one' });
  await models.rest({ account: 'one', model: 'm' }, { of: 'key', long: false, leastMs: undefined });
  expect(keys.kept).toEqual({ house: 'two' });
});

test('MO-3 of a provider with one key nothing is remembered', () => {
  const { keys } = world();
  expect(keys.order({ keys: [one], model: 'm' })).toEqual([one]);
  keys.used({ provider: one, model: 'm' }, 'answered');
  expect(keys.kept).toEqual({});
});
