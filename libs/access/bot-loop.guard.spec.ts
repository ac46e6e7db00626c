import { once } from 'node:events';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ConversationKey } from '#kernel';
import { connect, Keyspace, type RedisClient } from '#redis';
import { waitUntil } from '../../test/harness/wait-until.js';
import { BotLoopGuard, type BotBudget } from './bot-loop.guard.js';

const keyspace = new Keyspace(1, 'bot-loop-spec:');
let replicas: RedisClient[];

beforeAll(async () => {
  replicas = [connect(inject('redisUrl'), 'request'), connect(inject('redisUrl'), 'request')];
  await Promise.all(replicas.map((redis) => once(redis, 'ready')));
});
afterAll(() => replicas.forEach((redis) => redis.disconnect()));

const HOUR_MS = 3_600_000;
const guards = (budget?: BotBudget): [BotLoopGuard, BotLoopGuard] =>
  replicas.map((redis) => new BotLoopGuard(redis, keyspace, budget)) as [BotLoopGuard, BotLoopGuard];
const talk = (name: string) => name as ConversationKey;

/** One event after the other, at the replicas in turn. */
async function said(pair: [BotLoopGuard, BotLoopGuard], conversation: ConversationKey, count: number, bot = 'b', from = 0) {
  const answers = [];
  for (let n = from; n < from + count; n++) answers.push(await pair[n % 2 ? 0 : 1].charge(conversation, bot, `e${n}`));
  return answers;
}
const times = (answer: string, count: number): string[] => Array.from({ length: count }, () => answer);

test('B073 a fast pair is stopped after 20 messages, by two replicas together, and told once', async () => {
  expect(await said(guards(), talk('fast'), 25)).toEqual([...times('left', 20), 'ends', ...times('spent', 4)]);
  expect(await said(guards(), talk('fast'), 1, 'another bot')).toEqual(['left']);
  expect(await said(guards(), talk('elsewhere'), 1)).toEqual(['left']);
});

test('B073 the same event again gets the same answer and uses nothing', async () => {
  const [one, two] = guards();
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 ? one : two).charge(talk('again'), 'b', 'e')));
  expect(new Set(answers)).toEqual(new Set(['left']));
  await said([one, two], talk('again'), 19);
  expect([await one.charge(talk('again'), 'b', 'last'), await two.charge(talk('again'), 'b', 'last')]).toEqual(['ends', 'ends']);
  expect(await one.charge(talk('again'), 'b', 'later')).toBe('spent');
});

test('B073 a slow pair is stopped after 30 in a row, though no window ever fills; a person lets it go on', async () => {
  const slow = guards({ most: 20, windowMs: 1, pauseMs: 1, mostInRow: 30, silenceMs: HOUR_MS });
  expect(await said(slow, talk('slow'), 180)).toEqual([...times('left', 30), 'ends', ...times('spent', 149)]);
  await slow[1].reset(talk('slow'));
  expect(await said(slow, talk('slow'), 31, 'b', 1000)).toEqual([...times('left', 30), 'ends']);
});

test('B073 bots that take turns with us are one row', async () => {
  const slow = guards({ most: 20, windowMs: 1, pauseMs: 1, mostInRow: 4, silenceMs: HOUR_MS });
  for (const [n, bot] of ['a', 'b', 'a', 'b'].entries()) expect(await slow[0].charge(talk('ring'), bot, `r${n}`)).toBe('left');
  expect(await slow[0].charge(talk('ring'), 'a', 'r5')).toBe('ends');
});

test('B073 after its pause a pair may talk again, and a silence ends a row', async () => {
  const [brief] = guards({ most: 1, windowMs: 30, pauseMs: 60, mostInRow: 100, silenceMs: 200 });
  expect([await brief.charge(talk('pause'), 'b', 'p0'), await brief.charge(talk('pause'), 'b', 'p1')]).toEqual(['left', 'ends']);
  let n = 2;
  await waitUntil(
    'the pause is over',
    () => brief.charge(talk('pause'), 'b', `p${n++}`),
    (answer) => answer === 'left',
  );
  const [row] = guards({ most: 100, windowMs: 30, pauseMs: 1, mostInRow: 1, silenceMs: 100 });
  await row.charge(talk('silence'), 'b', 's0');
  await waitUntil(
    'nothing is remembered of the row',
    () => replicas[0]?.exists(keyspace.access('bot-row:silence')),
    (exists) => exists === 0,
  );
  expect(await row.charge(talk('silence'), 'b', 's1')).toBe('left');
});
