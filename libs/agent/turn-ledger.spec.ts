import { describe, expect, test } from 'vitest';
import { TransientError } from '#kernel';
import { SUMMARY, WindowWorld, pastTurn } from './context/window.fixture.js';
import { Hooks } from './hooks/hooks.js';
import type { ModelEvent } from './model-port.js';
import { priced } from './spending.js';
import { TurnWorld } from './turn-world.fixture.js';

const usage = (inputTokens: number, outputTokens: number): ModelEvent => ({
  type: 'usage',
  usage: { inputTokens, outputTokens },
});
const text = (words: string): ModelEvent => ({ type: 'text', text: words });
const STOP: ModelEvent = { type: 'stop', reason: 'stop' };

describe('what a turn has paid for', () => {
  test('MO-5 by the model that answered; a model that died after it had counted is paid, too, once', async () => {
    const world = new TurnWorld(() => [
      { type: 'answering', model: 'one/m' },
      usage(1, 1),
      { type: 'answering', model: 'one/m' },
      text('half'),
      usage(9, 8),
      { type: 'restart' },
      { type: 'answering', model: 'two/m' },
      text('whole'),
      usage(5, 4),
      STOP,
    ]);
    expect(await world.run()).toMatchObject({ usage: { inputTokens: 15, outputTokens: 13 } });
    const spent = [
      { model: 'one/m', tier: 'main', inputTokens: 1, outputTokens: 1 },
      { model: 'one/m', tier: 'main', inputTokens: 9, outputTokens: 8 },
      { model: 'two/m', tier: 'main', inputTokens: 5, outputTokens: 4 },
    ];
    expect(world.journal).toMatchObject([{ k: 'answer', model: 'two/m', spent }]);
    const lines = [{ ...spent[0], inputTokens: 10, outputTokens: 9 }, spent[2]];
    expect(world.progress.ledger.lines).toEqual(lines);
    await world.run();
    expect(world.progress.ledger.lines).toEqual(lines);
  });

  test('MO-5 what an attempt paid before it failed is kept for the next entry of the journal', async () => {
    const world = new TurnWorld(() => [text('half'), usage(9, 8)]);
    await expect(world.run()).rejects.toBeInstanceOf(TransientError);
    const { unwritten, lines } = world.progress.ledger;
    expect(unwritten).toEqual(lines);
    world.journal.push({ k: 'error', code: 'stream_truncated', message: '', spent: [...unwritten] });
    await expect(world.run()).rejects.toBeInstanceOf(TransientError);
    expect(world.progress.ledger.total).toEqual({ inputTokens: 18, outputTokens: 16 });
  });

  test('MO-5 a provider that counts nothing, or counts zero, is estimated, and the sum says so', async () => {
    for (const silent of [[], [usage(0, 0)]]) {
      const world = new TurnWorld(() => [text('x'.repeat(400)), ...silent, STOP]);
      await world.run();
      expect(world.progress.ledger.total).toEqual({ inputTokens: 11, outputTokens: 100, estimated: true });
    }
  });

  test('MO-5 the model that a hook chose for one request is the one that is paid', async () => {
    const world = new TurnWorld(() => ({ text: 'done' }));
    const hooks = new Hooks();
    hooks.on('llm_input', ({ request }) => ({ request: { ...request, model: 'mini' } }));
    await world.run({}, { hooks });
    expect(world.journal).toMatchObject([{ model: 'fake/mini', spent: [{ model: 'fake/mini' }] }]);
  });

  test('MO-6 summaries are paid as utility, one that would not do as well', async () => {
    const long = Array.from({ length: 30 }, (_, n) => pastTurn(n, 'word '.repeat(400)));
    for (const summary of [SUMMARY, '']) {
      const world = new WindowWorld(8192, undefined, { windows: { 'fake/m': 8192 } }, summary);
      await world.ask(long);
      const asked = world.summaries.length;
      expect(asked).toBeGreaterThan(0);
      expect(world.progress.ledger.lines).toEqual([
        { model: 'fake/m', tier: 'utility', inputTokens: 10 * asked, outputTokens: asked },
        { model: 'fake/m', tier: 'main', inputTokens: 10, outputTokens: 1 },
      ]);
      expect(world.journal.flatMap((entry) => ('spent' in entry ? (entry.spent ?? []) : []))).toHaveLength(asked + 1);
    }
  });
});

describe('what it cost', () => {
  const line = {
    model: 'a/m',
    tier: 'main' as const,
    inputTokens: 1_000_000,
    outputTokens: 500_000,
    cacheReadTokens: 600_000,
    cacheWriteTokens: 100_000,
    reasoningTokens: 400_000,
  };

  test.each([
    ['its own price for the cache', { cacheReadPerMillion: 1, cacheWritePerMillion: 20 }, 0.3 * 10 + 0.6 + 0.1 * 20 + 20],
    ['the price of input for the cache', {}, 10 + 20],
  ])('MO-5 %s; reasoning is output', (_what, cache, cost) => {
    const [one] = priced([line], { 'a/m': { inputPerMillion: 10, outputPerMillion: 40, ...cache } });
    expect(one?.cost).toBeCloseTo(cost, 9);
  });

  test('MO-5 a model without a price has no cost', () => {
    expect(priced([line], {})).toEqual([line]);
  });
});
