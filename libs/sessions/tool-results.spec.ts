import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { connect, Keyspace, type RedisClient } from '#redis';
import { proves } from '../../test/proves.js';
import { ToolResults } from './index.js';

const keyspace = new Keyspace(1, 'tool-results-spec:');
const call = { tenant: 'acme', tool: 'look', version: '1', arguments: '{}' };
let redis: RedisClient;

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'request');
  await once(redis, 'ready');
});
afterAll(() => redis.disconnect());

proves(['TU-9', 'G7'], 'a result is kept for its time, by every part of its key, and no longer than a day', async () => {
  const results = new ToolResults(redis, keyspace, { nearlyFull: false });
  await results.write(call, 'kept', 60_000);
  expect(await results.read({ ...call })).toBe('kept');
  for (const other of [{ tenant: 'other' }, { tool: 'see' }, { version: '2' }, { arguments: '[]' }])
    expect(await results.read({ ...call, ...other })).toBeUndefined();
  const [key = ''] = await redis.keys('tool-results-spec:*');
  expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  await results.write(call, 'kept', 30 * 86_400_000);
  expect(await redis.pttl(key)).toBeLessThanOrEqual(86_400_000);
});

proves('TU-9', 'nothing large is kept, and nothing in a Redis that is nearly full', async () => {
  const large = { ...call, arguments: 'large' };
  await new ToolResults(redis, keyspace, { nearlyFull: false }).write(large, 'x'.repeat(65_537), 60_000);
  await new ToolResults(redis, keyspace, { nearlyFull: true }).write(large, 'x', 60_000);
  expect(await new ToolResults(redis, keyspace, { nearlyFull: false }).read(large)).toBeUndefined();
});
