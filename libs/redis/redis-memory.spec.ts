import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startRedis } from '../../test/redis-server.js';
import { connect, RedisMemory } from './index.js';

test('G1 a Redis is nearly full above the given share of its maxmemory, never without one, and as it was while it is away', async () => {
  const server = await startRedis({ appendonly: false });
  const redis = connect(server.url, 'request');
  await once(redis, 'ready');
  const memory = new RedisMemory(redis, 0.85);
  await memory.poll();
  expect(memory.nearlyFull).toBe(false);
  const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', Math.round(used / 0.5));
  await memory.poll();
  expect(memory.nearlyFull).toBe(false);
  await redis.config('SET', 'maxmemory', Math.round(used / 0.95));
  await memory.poll();
  expect(memory.nearlyFull).toBe(true);
  await server.stop();
  await memory.poll();
  expect(memory.nearlyFull).toBe(true);
  redis.disconnect();
});
