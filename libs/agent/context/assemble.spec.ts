import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatMessage, ToolMessage } from '#contracts';
import { TerminalError } from '#kernel';
import { assemble } from './assemble.js';
import { faultOf } from './check-assembled.js';
import type { ContextBudget, Conversation, PastTurn } from './context-engine.js';
import { limitsOf } from './context-limits.js';
import { textTokens } from './token-estimate.js';

const BUDGET: ContextBudget = { windowTokens: 8192, reserveTokens: 20_000, keepRecentTurns: 3, scale: 1 };

function conversation(given: Partial<Conversation> = {}): Conversation {
  return {
    tenant: 't',
    session: 's',
    turn: 'now',
    system: 'be kind',
    tools: [],
    summary: '',
    history: [],
    user: [{ role: 'user', text: 'and now?' }],
    progress: [],
    ...given,
  };
}

const call = (id: string, text: string, args = '{}'): ChatMessage[] => [
  { role: 'assistant', text: '', toolCalls: [{ id, name: 'read', arguments: args }] },
  { role: 'tool', callId: id, name: 'read', text, isError: false },
];
const turn = (n: number, ...messages: ChatMessage[]): PastTurn => ({
  turn: `t${n}`,
  messages: [{ role: 'user', text: `question ${n}` }, ...messages, { role: 'assistant', text: `answer ${n}`, toolCalls: [] }],
});
const results = (messages: readonly ChatMessage[]) =>
  messages.filter((message): message is ToolMessage => message.role === 'tool');

describe('one tool result', () => {
  const fortyKilobytes = conversation({ progress: call('big', `${'row of a table\n'.repeat(2700)}Error: out of rows`) });

  test.each([8192, 4096])(
    'T8 TU-6 a 40 kB result takes at most 30 %% of a window of %i, marked, beside its call',
    (windowTokens) => {
      const { messages } = assemble(fortyKilobytes, { ...BUDGET, windowTokens });
      const [result] = results(messages);
      expect(textTokens(result?.text ?? '')).toBeLessThanOrEqual(windowTokens * 0.3);
      expect(textTokens(result?.text ?? '')).toBeGreaterThan(windowTokens * 0.25);
      expect(result?.text).toMatch(/Characters \d+ to \d+ of 40518 are left out[^]*Error: out of rows$/);
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    },
  );

  test('T8 the window of the fallback model cuts the same stored result again', () => {
    const [first, second] = [8192, 4096].map(
      (windowTokens) => assemble(fortyKilobytes, { ...BUDGET, windowTokens }).messages[2]?.text.length ?? 0,
    );
    expect(second).toBeLessThan((first ?? 0) * 0.55);
    expect(fortyKilobytes.progress[1]?.text.length).toBe(40518);
  });

  test('TU-6 has at most 16,000 characters below 100,000 tokens, 32,000 below 200,000, 64,000 above', () => {
    const huge = conversation({ progress: call('big', 'x'.repeat(300_000)) });
    const lengths = [64_000, 128_000, 400_000].map(
      (windowTokens) => assemble(huge, { ...BUDGET, windowTokens }).messages[2]?.text.length ?? 0,
    );
    for (const [index, most] of [16_000, 32_000, 64_000].entries()) {
      expect(lengths[index]).toBeLessThanOrEqual(most);
      expect(lengths[index]).toBeGreaterThan(most * 0.95);
    }
  });

  test('CX-2 counts by what the provider counted', () => {
    const [plain, corrected] = [1, 2].map(
      (scale) => assemble(fortyKilobytes, { ...BUDGET, scale }).messages[2]?.text.length ?? 0,
    );
    expect(corrected).toBeLessThan((plain ?? 0) * 0.55);
  });
});

describe('results of the running turn', () => {
  test('CX-2 those the model has not read yet share half the window, none is cleared', () => {
    const calls: ChatMessage = {
      role: 'assistant',
      text: '',
      toolCalls: [1, 2, 3, 4].map((n) => ({ id: `${n}`, name: 'read', arguments: '{}' })),
    };
    const four = [1, 2, 3, 4].map((n): ChatMessage => ({
      role: 'tool',
      callId: `${n}`,
      name: 'read',
      text: 'x'.repeat(20_000),
      isError: false,
    }));
    const { messages } = assemble(conversation({ progress: [calls, ...four] }), BUDGET);
    const sizes = results(messages).map(({ text }) => textTokens(text));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
    expect(Math.min(...sizes)).toBeGreaterThan(900);
  });

  test('CX-2 of those it has read the oldest give way first', () => {
    const progress = [1, 2, 3, 4, 5].flatMap((n) => call(`${n}`, `${n}`.repeat(8_200)));
    const shown = results(assemble(conversation({ progress }), BUDGET).messages).map(({ text }) => text);
    expect(shown.map((text) => text.startsWith('[Cleared'))).toEqual([true, true, true, false, false]);
    expect(shown[0]).toBe('[Cleared: this result had 8200 characters.]');
  });
});

describe('earlier turns', () => {
  const long = (n: number) => turn(n, ...call(`c${n}`, 'y'.repeat(6_000)));

  test('CX-2 nothing is pruned while everything has room', () => {
    const whole = conversation({ history: [1, 2, 3].map(long) });
    expect(assemble(whole, BUDGET)).toEqual({
      messages: [...whole.history.flatMap(({ messages }) => messages), ...whole.user],
      omittedTurns: 0,
    });
  });

  test('CX-2 old results are trimmed to their ends before they are cleared; those of the last 3 turns stay whole', () => {
    const shown = (turns: number) =>
      results(assemble(conversation({ history: Array.from({ length: turns }, (_, n) => long(n)) }), BUDGET).messages).map(
        ({ text }) => text.length,
      );
    expect(shown(5)).toEqual([expect.closeTo(2950, -2), expect.closeTo(2950, -2), 6000, 6000, 6000]);
    expect(shown(8)).toEqual([43, 43, 43, 43, 43, 6000, 6000, 6000]);
  });

  test('CX-2 turns are left out whole, oldest first, and counted', () => {
    const history = Array.from({ length: 40 }, (_, n) => turn(n, { role: 'assistant', text: 'z'.repeat(2000), toolCalls: [] }));
    const { messages, omittedTurns } = assemble(conversation({ history }), BUDGET);
    expect(omittedTurns).toBeGreaterThan(20);
    expect(messages[0]).toEqual({ role: 'user', text: `question ${omittedTurns}` });
  });

  test('TU-6 results of the last 3 turns are cleared before any of these turns is left out', () => {
    const progress = call('now', '', JSON.stringify({ content: 'v'.repeat(5_000) }));
    const { messages, omittedTurns } = assemble(
      conversation({ history: [1, 2, 3].map((n) => long(n)), progress: [...progress, ...progress] }),
      BUDGET,
    );
    expect(omittedTurns).toBe(0);
    expect(
      results(messages)
        .slice(0, 3)
        .map(({ text }) => text),
    ).toEqual(Array(3).fill('[Cleared: this result had 6000 characters.]'));
  });

  test('TU-6 a message that was too long to be answered does not spoil the next turn', () => {
    const giant = 'w'.repeat(400_000);
    const question = conversation({ user: [{ role: 'user', text: giant }] });
    expect(() => assemble(question, BUDGET)).toThrow(expect.objectContaining({ code: 'context_overflow' }));
    const { messages, omittedTurns } = assemble(conversation({ history: [{ turn: 't1', messages: question.user }] }), BUDGET);
    expect(omittedTurns).toBe(0);
    expect(messages[0]?.text).toMatch(/^w+\n\[Cut: the first \d+ of 400000 characters/);
  });

  test('CX-2 a summary stands before what it does not cover, as something the user side says', () => {
    const { messages } = assemble(conversation({ summary: '## Open asks\nbook a table', history: [long(9)] }), BUDGET);
    expect(messages[0]).toEqual({ role: 'user', text: '[Summary of the conversation so far]\n## Open asks\nbook a table' });
  });

  test('CX-2 arguments that are too long stay JSON', () => {
    const { messages } = assemble(
      conversation({ history: [turn(1, ...call('w', 'ok', JSON.stringify({ content: 'v'.repeat(50_000) })))] }),
      BUDGET,
    );
    const [asked] = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
    expect(JSON.parse(asked?.arguments ?? '')).toEqual({ omitted: 'arguments of 50014 characters' });
  });
});

const someText = fc
  .tuple(fc.constantFrom('a b c ', '上下文', 'row\n', '👍', 'error: '), fc.nat({ max: 4000 }))
  .map(([unit, times]) => unit.repeat(times));
const someStep = fc.tuple(someText, fc.array(fc.tuple(someText, someText), { maxLength: 3 }));
/** Call ids are unique within a turn, never beyond it. */
const someMessages = fc.array(someStep, { maxLength: 4 }).map((steps) =>
  steps.flatMap(([text, calls], step): ChatMessage[] => [
    {
      role: 'assistant',
      text,
      toolCalls: calls.map(([args], n) => ({ id: `${step}.${n}`, name: 'read', arguments: JSON.stringify({ args }) })),
    },
    ...calls.map(([, result], n): ChatMessage => ({
      role: 'tool',
      callId: `${step}.${n}`,
      name: 'read',
      text: result,
      isError: false,
    })),
  ]),
);
const someConversation = fc.record({
  summary: someText,
  history: fc
    .array(fc.tuple(someText, someMessages), { maxLength: 12 })
    .map((turns) =>
      turns.map(([text, messages], n): PastTurn => ({ turn: `t${n}`, messages: [{ role: 'user', text }, ...messages] })),
    ),
  user: fc.array(someText, { minLength: 1, maxLength: 2 }).map((texts) => texts.map((text) => ({ role: 'user' as const, text }))),
  progress: someMessages,
});
const someBudget = fc.record({
  windowTokens: fc.integer({ min: 1024, max: 60_000 }),
  reserveTokens: fc.nat({ max: 20_000 }),
  keepRecentTurns: fc.nat({ max: 4 }),
  scale: fc.constantFrom(0.75, 1, 1.7, 3),
});

test('CX-2 TU-6 whatever is assembled has room, holds what is asked now and no broken pair; else the turn alone is too long', () => {
  let fitted = 0;
  fc.assert(
    fc.property(someConversation, someBudget, (given, budget) => {
      const whole = conversation(given);
      try {
        const { messages } = assemble(whole, budget);
        expect(faultOf(messages, whole, budget)).toBeUndefined();
        expect(messages.filter(({ role }) => role === 'user').at(-1)).toEqual(whole.user.at(-1));
        fitted += 1;
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        const alone = [...whole.user, ...whole.progress.filter(({ role }) => role !== 'tool')].map(({ text }) => text).join('');
        expect(textTokens(alone) + textTokens(whole.summary)).toBeGreaterThan(limitsOf(budget).room / 3);
      }
    }),
    { numRuns: 150 },
  );
  expect(fitted).toBeGreaterThan(50);
});
