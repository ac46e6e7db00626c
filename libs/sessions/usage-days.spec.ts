import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordOf, LanesWorld } from '../../test/lanes-world.js';
import { sessionOf } from '../../test/harness/mail.js';
import type { Spent, Usage } from '#contracts';
import { LeaseLostError, turnIdOf, type MessageId } from '#kernel';
import { UsageAccount } from '#limits';

const MAIN: Spent = { model: 'openai/a/b', tier: 'main', inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cost: 0.1 };
const UTILITY: Spent = { model: 'openai/mini', tier: 'utility', inputTokens: 7, outputTokens: 3 };

let world: LanesWorld;
let account: UsageAccount;
beforeAll(async () => {
  world = await LanesWorld.open({ buckets: 4 });
  account = new UsageAccount(world.platform.work, world.platform.keyspace);
});
afterAll(() => world.close());

function sumOf(spent: readonly Spent[]): Usage {
  const sum = (part: 'inputTokens' | 'outputTokens'): number => spent.reduce((total, line) => total + line[part], 0);
  return { inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
}

/** @returns what commits the same turn again */
async function pay(
  conversation: string,
  payer: { tenant: string; agent: string },
  spent: Spent[],
): Promise<() => Promise<unknown>> {
  await world.accept(conversation, 1);
  const taken = await world.takeTurn(conversation, '5.1.a');
  const ids = taken.messages.map(({ id }) => id);
  const turn = turnIdOf(ids[0] ?? ('none' as MessageId), 0);
  const record = { ...recordOf(turn, taken, 'answer'), spent, usage: sumOf(spent) };
  const commit = () => world.state(conversation, '5.1.a').commit({ turn, ids, record, payer, rows: [], lastEvent: undefined });
  await commit();
  return commit;
}

test('MO-5 a commit pays for tenant, agent, session and models, once however often it is asked for, over all buckets', async () => {
  const again = await pay('one', { tenant: 'acme', agent: 'main' }, [MAIN, UTILITY]);
  await again();
  await pay('two', { tenant: 'acme', agent: 'other' }, [MAIN]);
  await pay('three', { tenant: 'acme', agent: 'main' }, [UTILITY]);
  const { keyspace } = world.platform;
  expect(new Set(['one', 'two', 'three'].map((name) => keyspace.bucketOf(sessionOf(name)))).size).toBeGreaterThan(1);
  expect(await account.today({ tenant: 'acme', agent: 'main', session: sessionOf('one') })).toEqual({
    tenant: { tokens: 260, cost: 0.2 },
    agent: { tokens: 140, cost: 0.1 },
    session: { tokens: 130, cost: 0.1 },
  });
  expect(await account.today({ tenant: 'quiet', agent: 'main', session: sessionOf('nobody') })).toMatchObject({
    tenant: { tokens: 0, cost: 0 },
    session: { tokens: 0, cost: 0 },
  });
  const [today, yesterday] = await account.ofDays('acme', 2);
  expect(today).toMatchObject({ tokens: 260, cost: 0.2 });
  const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, cost: 0 };
  expect(today?.lines.toSorted((a, b) => a.agent.localeCompare(b.agent) || b.inputTokens - a.inputTokens)).toEqual([
    { agent: 'main', ...none, ...MAIN },
    { agent: 'main', ...none, ...UTILITY, inputTokens: 14, outputTokens: 6 },
    { agent: 'other', ...none, ...MAIN },
  ]);
  expect(yesterday).toMatchObject({ tokens: 0, cost: 0, lines: [] });
});

test('MO-5 G2 a claim that was superseded pays nothing', async () => {
  await world.accept('fenced', 1);
  const { messages } = await world.takeTurn('fenced', '5.1.a');
  const taken = await world.takeTurn('fenced', '5.2.b');
  const ids = messages.map(({ id }) => id);
  const turn = turnIdOf(ids[0] ?? ('none' as MessageId), 0);
  const record = { ...recordOf(turn, taken, 'answer'), spent: [MAIN] };
  const payer = { tenant: 'fenced', agent: 'main' };
  await expect(
    world.state('fenced', '5.1.a').commit({ turn, ids, record, payer, rows: [], lastEvent: undefined }),
  ).rejects.toThrow(LeaseLostError);
  expect(await account.today({ ...payer, session: sessionOf('fenced') })).toMatchObject({
    tenant: { tokens: 0 },
    session: { tokens: 0 },
  });
});

test('MO-5 G7 the day is that of Redis, its sums go away by themselves, and yesterday does not count for a session', async () => {
  const { work, keyspace } = world.platform;
  const [seconds] = await work.time();
  const day = Math.floor(Number(seconds) / 86_400);
  const session = sessionOf('late');
  await work.hset(keyspace.head(session), 'day', `${day - 1} 5000 7000000`);
  await pay('late', { tenant: 'ttl', agent: 'main' }, [MAIN]);
  expect(await work.pttl(`${keyspace.usageDays('ttl', keyspace.bucketOf(session))}${day}`)).toBeGreaterThan(0);
  expect(await account.today({ tenant: 'ttl', agent: 'main', session })).toMatchObject({ session: { tokens: 120, cost: 0.1 } });
  const [found] = await account.ofDays('ttl', 1);
  expect(found?.day).toBe(new Date(Number(seconds) * 1000).toISOString().slice(0, 10));
});
