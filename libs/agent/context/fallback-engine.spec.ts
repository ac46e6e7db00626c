import { describe, expect, test } from 'vitest';
import type { ContextBudget, ContextEngine, Conversation } from './context-engine.js';
import { defaultEngine } from './default-engine.js';
import { FallbackEngine, type EngineFailure } from './fallback-engine.js';
import { pastTurn, SUMMARY, WindowWorld } from './window.fixture.js';

const BUDGET: ContextBudget = { windowTokens: 8192, reserveTokens: 20_000, keepRecentTurns: 3, scale: 1 };
const conversation: Conversation = {
  tenant: 't',
  session: 's',
  turn: 'now',
  system: '',
  tools: [],
  summary: '',
  history: [pastTurn(1)],
  user: [{ role: 'user', text: 'and now?' }],
  progress: [],
};

function guarded(engine: Partial<ContextEngine>, limitMs?: number) {
  const failures: EngineFailure[] = [];
  const whole: ContextEngine = { ...defaultEngine, id: 'theirs', ...engine };
  return { failures, engine: new FallbackEngine(whole, (failure) => void failures.push(failure), limitMs) };
}

describe('an engine of another', () => {
  test('CX-1 decides what the model sees', async () => {
    const ours = guarded({ assemble: async ({ user }) => ({ messages: user, omittedTurns: 0 }) });
    expect(await ours.engine.assemble(conversation, BUDGET)).toEqual({ messages: conversation.user, omittedTurns: 0 });
    expect(ours.failures).toEqual([]);
  });

  const call = { role: 'assistant' as const, text: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }] };
  const result = { role: 'tool' as const, callId: 'a', name: 'read', text: 'ok', isError: false };
  const never = Promise.withResolvers<never>().promise;

  test.each<[string, ContextEngine['assemble'], RegExp]>([
    ['throws', () => Promise.reject(new Error('no index')), /no index/],
    [
      'throws at once',
      () => {
        throw new Error('no index');
      },
      /no index/,
    ],
    ['hangs', () => never, /No answer within 5 ms/],
    ['leaves out the question', async () => ({ messages: [], omittedTurns: 0 }), /left out/],
    [
      'shows too much',
      async ({ user }) => ({ messages: [...user, { role: 'user', text: 'x'.repeat(40_000) }], omittedTurns: 0 }),
      /tokens were assembled/,
    ],
    [
      'splits a call from its result',
      async ({ user }) => ({ messages: [...user, call], omittedTurns: 0 }),
      /call a has no result/,
    ],
    [
      'keeps a result without its call',
      async ({ user }) => ({ messages: [result, ...user], omittedTurns: 0 }),
      /result of a has no call/,
    ],
  ])('CX-1 that %s costs nobody an answer: the built-in one stands in, and it is told', async (_, assemble, why) => {
    const ours = guarded({ assemble }, 5);
    expect(await ours.engine.assemble(conversation, BUDGET)).toEqual(await defaultEngine.assemble(conversation, BUDGET));
    expect(ours.failures).toEqual([
      { engine: 'theirs', operation: 'assemble', error: expect.objectContaining({ message: expect.stringMatching(why) }) },
    ]);
  });

  test('CX-1 that cannot compact, take in, look back or close is told of each', async () => {
    const fails = () => Promise.reject(new Error('down'));
    const ours = guarded({ compact: fails, ingest: fails, afterTurn: fails, dispose: fails });
    const history = [1, 2, 3, 4, 5].map((n) => pastTurn(n));
    const summariser = { windowTokens: 8192, ask: async () => SUMMARY };
    const { signal } = new AbortController();
    expect(await ours.engine.compact({ ...conversation, history }, BUDGET, summariser, signal)).toEqual({
      summary: SUMMARY,
      upTo: 't2',
    });
    const turn = { tenant: 't', session: 's', turn: 'now', messages: [] };
    await ours.engine.ingest(turn);
    await ours.engine.afterTurn(turn);
    await ours.engine.dispose();
    expect(ours.failures.map(({ operation }) => operation)).toEqual(['compact', 'ingest', 'afterTurn', 'dispose']);
  });
});

test('QU-3 a compaction that was stopped is no failure of the engine', async () => {
  const stop = new AbortController();
  const ours = guarded({
    async compact() {
      stop.abort(new Error('/stop'));
      throw new Error('aborted');
    },
  });
  const summariser = { windowTokens: 8192, ask: async () => SUMMARY };
  await expect(ours.engine.compact(conversation, BUDGET, summariser, stop.signal)).rejects.toThrow('aborted');
  expect(ours.failures).toEqual([]);
});

test('CX-1 a turn takes its messages in before it asks, and asks what the engine assembled', async () => {
  const seen: string[] = [];
  const engine: ContextEngine = {
    ...defaultEngine,
    id: 'theirs',
    ingest: async ({ messages }) => void seen.push(...messages.map(({ text }) => `ingest ${text}`)),
    assemble: async ({ user }) => (
      seen.push('assemble'),
      { messages: [{ role: 'user', text: 'hint' }, ...user], omittedTurns: 0 }
    ),
  };
  const world = new WindowWorld(8192, undefined, { engine });
  await world.ask([pastTurn(1)]);
  expect(seen).toEqual(['ingest go', 'assemble']);
  expect(world.questions[0]?.map(({ text }) => text)).toEqual(['hint', 'go']);
});
