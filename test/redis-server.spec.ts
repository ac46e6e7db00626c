import { expect, inject, test } from 'vitest';
import { redisInfo } from '#setup/redis-info';
import { proves } from './proves.js';
import { startRedis } from './redis-server.js';

proves('OP-1', 'a Redis of our own comes back with its data after a clean stop, on the same port', async () => {
  const redis = await startRedis();
  await redis.cli('set', 'kept', 'yes');
  const before = redis.pid;
  await redis.restart();
  expect(await redis.cli('get', 'kept')).toBe('yes');
  expect(redis.pid).not.toBe(before);
  await redis.kill();
  expect(await redisInfo(redis.port)).toBeUndefined();
});

test('OP-1 the shared Redis never evicts and appends to its file', async () => {
  const info = await redisInfo(Number(new URL(inject('redisUrl')).port));
  expect(info?.get('maxmemory_policy')).toBe('noeviction');
  expect(info?.get('aof_enabled')).toBe('1');
});
