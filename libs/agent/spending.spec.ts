import { expect, test } from 'vitest';
import { TurnWorld } from './turn-world.fixture.js';

/** Each answer costs 10 tokens in and 1 out; the third one is the last. */
const threeAnswers = () =>
  new TurnWorld((step) => (step < 3 ? { calls: [{ name: 'noop', arguments: `{"n":${step}}` }] } : { text: 'done' })).addTool(
    'noop',
    'once',
  );
const prices = { 'fake/m': { inputPerMillion: 100_000, outputPerMillion: 1_000_000 } };

test.each([
  ['tokens', { maxTokens: 22 }, 'token_limit'],
  ['cost', { maxCost: 4, prices }, 'cost_limit'],
])('TU-2 a turn that has used up its %s asks for no further answer', async (_what, limit, code) => {
  const world = threeAnswers();
  await expect(world.run(limit)).rejects.toMatchObject({ name: 'TerminalError', code });
  expect(world.requests).toHaveLength(2);
  expect(world.progress.ledger.total).toEqual({ inputTokens: 20, outputTokens: 2 });
});

test.each([
  ['just enough tokens', { maxTokens: 23 }],
  ['just enough money', { maxCost: 4.01, prices }],
  ['no price for its model', { maxCost: 0.01, prices: { 'other/m': prices['fake/m'] } }],
  ['no limit', { maxTokens: 0, maxCost: 0, prices }],
])('TU-2 a turn with %s goes to its end', async (_what, limit) => {
  expect(await threeAnswers().run(limit)).toMatchObject({ text: 'done' });
});

test('TU-1 TU-2 answers of earlier attempts count', async () => {
  const world = threeAnswers();
  const spent = [{ model: 'fake/m', tier: 'main' as const, inputTokens: 20, outputTokens: 2 }];
  world.journal.push({ k: 'answer', step: 1, text: '', toolCalls: [{ id: 'a', name: 'noop', arguments: '{}' }], spent });
  await expect(world.run({ maxTokens: 22 })).rejects.toMatchObject({ code: 'token_limit' });
  expect(world.requests).toEqual([]);
});
