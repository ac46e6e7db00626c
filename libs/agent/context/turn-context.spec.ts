import { describe, expect, test } from 'vitest';
import { NotNowError, TerminalError, TransientError } from '#kernel';
import { Killed } from '../turn-world.fixture.js';
import type { ModelEvent, ModelRequest } from '../model-port.js';
import { defaultEngine } from './default-engine.js';
import { FallbackOverflow } from './context-overflow.js';
import { FallbackEngine } from './fallback-engine.js';
import { requestTokens } from './token-estimate.js';
import { pastTurn, SUMMARY, WindowWorld } from './window.fixture.js';

const LONG = Array.from({ length: 30 }, (_, n) => pastTurn(n, 'z'.repeat(2000)));
const windows = (tokens: number) => ({ windows: { 'fake/m': tokens } });

describe('before asking', () => {
  test('CX-2 earlier turns that have no room are summarised, all but the last 3; the record will say so', async () => {
    const world = new WindowWorld(8192, undefined, windows(8192));
    const { text, usage } = await world.ask(LONG);
    expect(text).toBe('done');
    expect(world.kinds).toEqual(['compacting', 'compacted']);
    expect(world.journal.map(({ k }) => k)).toEqual(['compacted', 'answer']);
    expect(world.progress.compaction).toEqual({ summary: SUMMARY, upTo: 't26' });
    const [asked = []] = world.questions;
    expect(asked.slice(0, 2)).toEqual([
      { role: 'user', text: `[Summary of the conversation so far]\n${SUMMARY}` },
      { role: 'user', text: 'question 27 about ORD-4711' },
    ]);
    expect(usage.inputTokens).toBe(20);
  });

  test('CX-2 a conversation that has room is neither cut nor compacted', async () => {
    const world = new WindowWorld(400_000, undefined, windows(400_000));
    await world.ask(LONG, { summary: 'before' });
    expect([world.kinds, world.questions[0]?.length]).toEqual([[], 62]);
  });

  test('B033 a compaction that hangs ends by its own timer, and the turn is answered without', async () => {
    const never = Promise.withResolvers<never>().promise;
    const hung = { id: 'hung', stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }) };
    const utilityModel = { provider: hung, model: 'mini' };
    const world = new WindowWorld(8192, undefined, { ...windows(8192), compactTimeoutMs: 5, utilityModel });
    const { text } = await world.ask(LONG);
    expect([text, world.kinds]).toEqual(['done', ['compacting', 'compactionFailed']]);
    expect(world.journal.map(({ k }) => k)).toEqual(['answer']);
  });

  test.each([
    [4000, 'puts the turn aside', ['compacting']],
    [6000, 'costs the summary, not the answer', ['compacting', 'compactionFailed']],
  ])('QU-5 no room for the summary for %i ms of 5000 %s', async (afterMs, _, kinds) => {
    const next = () => Promise.reject(new NotNowError(afterMs, 'full/mini'));
    const full = { id: 'full', stream: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
    const utilityModel = { provider: full, model: 'mini' };
    const settings = {
      ...windows(8192),
      engine: new FallbackEngine({ ...defaultEngine }, () => expect.unreachable('it did not fail')),
    };
    const world = new WindowWorld(8192, undefined, { ...settings, compactTimeoutMs: 5000, utilityModel });
    const asked = world.ask(LONG);
    if (kinds.length === 1) await expect(asked).rejects.toBeInstanceOf(NotNowError);
    else expect((await asked).text).toBe('done');
    expect(world.kinds).toEqual(kinds);
  });

  test('CX-1 a summary up to a turn that is not there is none', async () => {
    const engine = { ...defaultEngine, id: 'theirs', compact: async () => ({ summary: SUMMARY, upTo: 't99' }) };
    const world = new WindowWorld(8192, undefined, { ...windows(8192), engine });
    expect(await world.ask(LONG)).toMatchObject({ text: 'done' });
    expect([world.kinds, world.progress.compaction]).toEqual([['compacting', 'compactionFailed'], undefined]);
  });

  test('QU-3 /stop in the middle of a compaction ends the turn with its reason', async () => {
    const reason = new Error('/stop');
    const compact = () => (world.stop.abort(reason), Promise.withResolvers<never>().promise);
    const world: WindowWorld = new WindowWorld(8192, undefined, { ...windows(8192), engine: { ...defaultEngine, compact } });
    await expect(world.ask(LONG)).rejects.toBe(reason);
    expect([world.kinds, world.journal]).toEqual([['compacting'], []]);
  });

  test('MO-6 the utility model writes the summary, the agent its answer', async () => {
    const asked: string[] = [];
    async function* stream({ model }: ModelRequest): AsyncGenerator<ModelEvent> {
      asked.push(model);
      yield { type: 'text', text: SUMMARY };
      yield { type: 'stop', reason: 'stop' };
    }
    const world = new WindowWorld(8192, undefined, {
      ...windows(8192),
      utilityModel: { provider: { id: 'small', stream }, model: 'mini' },
    });
    await world.ask(LONG);
    expect([asked, world.summaries, world.kinds]).toEqual([['mini'], [], ['compacting', 'compacted']]);
  });
});

describe('the ladder', () => {
  test('TU-6 B033 a refusal compacts and asks again: answered, once compacted', async () => {
    const world = new WindowWorld(4096);
    const { text } = await world.ask(LONG.slice(0, 12));
    expect([text, world.summaries.length > 0, world.questions.length]).toEqual(['done', true, 2]);
    expect(world.kinds).toEqual(['overflow', 'compacting', 'compacted']);
    expect(world.journal.map(({ k }) => k)).toEqual(['compacted', 'answer']);
  });

  test('TU-6 where there is nothing to compact, and where that was not enough, tool results are cut harder', async () => {
    const world = new WindowWorld(700, (_, step) => (step === 1 ? { calls: [{ name: 'read', id: 'a' }] } : { text: 'done' }));
    world.addTool('read', 'pure', async () => ({ text: `${'row\n'.repeat(20_000)}Error: the end`, isError: false }));
    const { text, messages } = await world.ask([pastTurn(1)]);
    expect(text).toBe('done');
    const shown = world.questions.map((asked) => asked.at(-1)?.text.length ?? 0);
    expect(shown).toEqual([2, expect.closeTo(16_000, -3), expect.closeTo(4_800, -3), expect.closeTo(700, -2.5)]);
    expect(world.kinds).toEqual(['overflow', 'overflow']);
    expect(world.questions.at(-1)?.at(-1)?.text).toMatch(/left out[^]*Error: the end$/);
    expect(messages.find(({ role }) => role === 'tool')?.text).toHaveLength(80_014);
  });

  test('TU-6 a model that refuses everything gets three questions and two compactions at most; the turn ends with context_overflow', async () => {
    const world = new WindowWorld(30);
    await expect(world.ask(LONG)).rejects.toMatchObject({ code: 'context_overflow' });
    expect(world.questions.length).toBe(3);
    expect(world.kinds.filter((kind) => kind === 'compacting').length).toBe(2);
  });

  test('TU-6 a turn compacts at most twice, however often it has to ask', async () => {
    let tools = 0;
    const answer = (_: ModelRequest, step: number) =>
      step < 8 ? { text: 'q'.repeat(4000), calls: [{ name: 'read', id: `c${tools++}` }] } : { text: 'done' };
    const world = new WindowWorld(100_000, answer, { ...windows(4096), keepRecentTurns: 0 });
    world.addTool('read', 'pure', async () => ({ text: 'x'.repeat(8000), isError: false }));
    await world.ask(LONG.slice(0, 6)).catch(() => undefined);
    expect(world.kinds.filter((kind) => kind === 'compacting').length).toBeLessThanOrEqual(2);
    expect(world.questions.length).toBeGreaterThan(3);
  });

  test('TU-6 each question of a turn has the whole ladder', async () => {
    const refused = new Set([1]);
    const world = new WindowWorld(100_000, (_, step) => {
      if (!refused.has(step)) return (refused.add(step), new TerminalError('context_overflow', 'too long'));
      return step < 5 ? { calls: [{ name: 'read', id: `c${step}` }] } : { text: 'done' };
    });
    world.addTool('read', 'pure', async () => ({ text: 'x'.repeat(20_000), isError: false }));
    expect(await world.ask([])).toMatchObject({ text: 'done' });
    expect(world.kinds).toEqual(Array(4).fill('overflow'));
  });

  test('TU-6 other errors are none of its business', async () => {
    const world = new WindowWorld(8192, () => new TransientError('rate_limit', 'slow down'));
    await expect(world.ask([])).rejects.toMatchObject({ code: 'rate_limit' });
    expect(world.kinds).toEqual([]);
  });
});

describe('after a kill', () => {
  test('TU-1 CX-2 wherever it comes: one compaction in the journal, its usage counted once, the right answer', async () => {
    for (let killAt = 1; ; killAt += 1) {
      const world = new WindowWorld(8192, undefined, windows(8192));
      world.killAt = killAt;
      const died = await world.ask(LONG).then(
        () => false,
        (error: unknown) => error instanceof Killed || Promise.reject(error),
      );
      world.killAt = Infinity;
      const { text, usage } = await world.ask(LONG);
      expect(text).toBe('done');
      expect(world.journal.map(({ k }) => k)).toEqual(['compacted', 'answer']);
      expect(world.progress.compaction).toEqual({ summary: SUMMARY, upTo: 't26' });
      expect(usage.inputTokens).toBe(20);
      if (!died) return expect(killAt).toBeGreaterThan(5);
    }
  });
});

test('CX-2 what the provider counted corrects the estimate of the next question', async () => {
  const shown = async (inputTokens: number) => {
    const first: ModelEvent[] = [
      { type: 'tool_call', id: 'a', name: 'read', arguments: '{}' },
      { type: 'usage', usage: { inputTokens, outputTokens: 1 } },
      { type: 'stop', reason: 'tool_calls' },
    ];
    const world = new WindowWorld(100_000, (_, step) => (step === 1 ? first : { text: 'done' }), windows(8192));
    world.addTool('read', 'pure', async () => ({ text: 'x'.repeat(50_000), isError: false }));
    await world.ask([]);
    return world.questions[1]?.at(-1)?.text.length ?? 0;
  };
  expect(await shown(1000)).toBeLessThan((await shown(0)) * 0.4);
});

test('T8 MO-3 a fallback with a smaller window gets the same question cut and compacted to it', async () => {
  const small = 4096;
  const stands = (request: ModelRequest) => {
    if (!request.messages.some(({ role }) => role === 'tool')) return { calls: [{ id: 'big', name: 'read' }] };
    return requestTokens(request) > small ? new FallbackOverflow('tiny/m', small) : { text: 'done' };
  };
  const world = new WindowWorld(8192, stands, windows(8192));
  world.addTool('read', 'pure', async () => ({ text: 'row of a table\n'.repeat(2700), isError: false }));
  const { text } = await world.ask(LONG.slice(-10));
  expect(text).toBe('done');
  expect(world.told.find(({ kind }) => kind === 'overflow')).toMatchObject({ model: 'tiny/m', windowTokens: small });
  const [refused, answered] = world.requests.filter(({ messages }) => messages.some(({ role }) => role === 'tool'));
  expect(requestTokens(refused ?? expect.fail())).toBeGreaterThan(small);
  expect(requestTokens(answered ?? expect.fail())).toBeLessThanOrEqual(small);
  expect(answered?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', toolCalls: [{ id: 'big' }] },
    { role: 'tool', text: expect.stringMatching(/\[Cut: the first \d+ of 40500 characters/) },
  ]);
});
