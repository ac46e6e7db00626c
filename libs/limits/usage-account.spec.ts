import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Spent } from '#contracts';
import { connect, Keyspace, type RedisClient } from '#redis';
import { UsageAccount } from './usage-account.js';

let redis: RedisClient;
let account: UsageAccount;
const keyspace = new Keyspace(1, 'usage-account-spec:');

beforeAll(async () => {
  redis = connect(inject('redisUrl'), 'request');
  await once(redis, 'ready');
  account = new UsageAccount(redis, keyspace);
});
afterAll(() => redis.disconnect());

const main: Spent = { model: 'openai/a/b', tier: 'main', inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cost: 0.1 };
const utility: Spent = { model: 'openai/mini', tier: 'utility', inputTokens: 7, outputTokens: 3 };
const owner = { tenant: 'acme', agent: 'main', session: 's1' };

test('MO-5 a turn counts once for its tenant, agent, session and models, however often its commit is told of', async () => {
  expect(await Promise.all([1, 2, 3].map(() => account.record('t1', owner, [main, utility])))).toContain(true);
  expect(await account.record('t1', owner, [main, utility])).toBe(false);
  expect(await account.record('t2', { ...owner, agent: 'other', session: 's2' }, [main])).toBe(true);
  expect(await account.today(owner)).toEqual({
    tenant: { tokens: 250, cost: 0.2 },
    agent: { tokens: 130, cost: 0.1 },
    session: { tokens: 130, cost: 0.1 },
  });
  expect(await account.today({ tenant: 'quiet', agent: 'main', session: 's1' })).toMatchObject({
    tenant: { tokens: 0, cost: 0 },
  });
  const [today, yesterday] = await account.ofDays('acme', 2);
  expect(today).toMatchObject({ tokens: 250, cost: 0.2 });
  expect(today?.lines.toSorted((a, b) => a.agent.localeCompare(b.agent) || b.inputTokens - a.inputTokens)).toEqual([
    { agent: 'main', cacheWriteTokens: 0, reasoningTokens: 0, ...main },
    { agent: 'main', cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cost: 0, ...utility },
    { agent: 'other', cacheWriteTokens: 0, reasoningTokens: 0, ...main },
  ]);
  expect(yesterday).toMatchObject({ tokens: 0, cost: 0, lines: [] });
});

test('MO-5 the day is that of Redis, and everything goes away by itself', async () => {
  await account.record('t3', { ...owner, tenant: 'ttl' }, [main]);
  const keys = await redis.keys(`${keyspace.limits('usage')}*`);
  const [seconds] = await redis.time();
  const day = Math.floor(Number(seconds) / 86_400);
  expect(keys).toContain(keyspace.limits(`usage:ttl:${day}`));
  const [found] = await account.ofDays('ttl', 1);
  expect(found?.day).toBe(new Date(Number(seconds) * 1000).toISOString().slice(0, 10));
  for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0);
});
