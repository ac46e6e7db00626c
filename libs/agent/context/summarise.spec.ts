import { describe, expect, test } from 'vitest';
import { TerminalError } from '#kernel';
import type { ContextBudget, Conversation, Summariser } from './context-engine.js';
import { identifiersIn } from './identifiers.js';
import { summarise } from './summarise.js';
import { textTokens } from './token-estimate.js';
import { pastTurn, SUMMARY } from './window.fixture.js';

const BUDGET: ContextBudget = { windowTokens: 8192, reserveTokens: 20_000, keepRecentTurns: 3, scale: 1 };
const history = Array.from({ length: 10 }, (_, n) => pastTurn(n));
const conversation: Conversation = {
  tenant: 't',
  session: 's',
  turn: 'now',
  system: '',
  tools: [],
  summary: '',
  history,
  user: [],
  progress: [],
};

function writer(...answers: (string | Error)[]): Summariser & { prompts: string[] } {
  const prompts: string[] = [];
  return {
    windowTokens: 8192,
    prompts,
    async ask({ text }) {
      prompts.push(text);
      const answer = answers[Math.min(prompts.length, answers.length) - 1] ?? '';
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

describe('a summary', () => {
  test('CX-2 covers every turn but the last 3; with no more than those there is nothing to do', async () => {
    const model = writer(SUMMARY);
    expect(await summarise(conversation, BUDGET, model)).toEqual({ summary: SUMMARY, upTo: 't6' });
    expect(model.prompts[0]).toContain('User: question 6 about ORD-4711\nAssistant: answer 6\n</conversation>');
    expect(await summarise({ ...conversation, history: history.slice(0, 3) }, BUDGET, model)).toBeUndefined();
    expect(model.prompts).toHaveLength(1);
  });

  test('CX-2 without its headings it is asked for once more, told what is missing', async () => {
    const model = writer('they talked about ORD-4711', SUMMARY);
    expect(await summarise(conversation, BUDGET, model)).toMatchObject({ summary: SUMMARY });
    expect(model.prompts[1]).toContain('the heading "## Open asks" is missing');
    const stubborn = writer('they talked about ORD-4711');
    expect(await summarise(conversation, BUDGET, stubborn)).toMatchObject({ summary: 'they talked about ORD-4711' });
    expect(stubborn.prompts).toHaveLength(2);
  });

  test('CX-2 an identifier it lost twice is written under it all the same', async () => {
    const model = writer(SUMMARY.replace('ORD-4711', 'none'));
    const compaction = await summarise(conversation, BUDGET, model);
    expect(compaction?.summary.endsWith('## More identifiers\nORD-4711')).toBe(true);
    expect(model.prompts).toHaveLength(2);
  });

  test('CX-2 what an earlier summary carried on is material, and so are its identifiers', async () => {
    const model = writer(SUMMARY);
    const compaction = await summarise({ ...conversation, summary: 'see https://example.org/a/1' }, BUDGET, model);
    expect(model.prompts[0]).toContain('<conversation>\nsee https://example.org/a/1\nUser: question 0');
    expect(compaction?.summary).toContain('https://example.org/a/1');
  });

  test('CX-2 takes at most a tenth of the window', async () => {
    const compaction = await summarise(conversation, BUDGET, writer(`${SUMMARY}\n${'so on '.repeat(3000)}`));
    expect(textTokens(compaction?.summary ?? '')).toBeLessThanOrEqual(820);
  });

  test('CX-2 nothing at all is a failure, not a summary', async () => {
    await expect(summarise(conversation, BUDGET, writer(' '))).rejects.toMatchObject({ code: 'empty_response' });
  });

  test('CX-2 the material has room in the window of the writer, with every turn in it; refused, it is halved', async () => {
    const long = { ...conversation, history: Array.from({ length: 40 }, (_, n) => pastTurn(n, 'z'.repeat(5000))) };
    const model = writer(new TerminalError('context_overflow', 'too long'), SUMMARY);
    await summarise(long, BUDGET, model);
    const [first = '', second = ''] = model.prompts;
    expect(textTokens(first)).toBeLessThan(8192 * 0.75);
    expect(textTokens(second)).toBeLessThan(textTokens(first) * 0.6);
    for (const n of [0, 18, 36]) expect(first).toContain(`question ${n} about`);
  });
});

test('CX-2 identifiers: links, addresses, ids, ticket keys, paths and long numbers, each once, the newest last', () => {
  const text =
    'See https://example.org/x?y=1. Mail to ann@example.org, order ORD-4711 (#99), 3f2b8c1e-0000-4000-8000-1234567890ab, /srv/app/main.ts, phone 13800138000, 第3章, price 25, ORD-4711!';
  expect(identifiersIn(text)).toEqual([
    'https://example.org/x?y=1',
    'ann@example.org',
    '#99',
    '3f2b8c1e-0000-4000-8000-1234567890ab',
    '/srv/app/main.ts',
    '13800138000',
    'ORD-4711',
  ]);
});
