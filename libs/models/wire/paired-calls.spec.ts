import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import { nineCharacterCallId, shortCallId, wordCallId } from './call-id-forms.js';
import { pairedCalls } from './paired-calls.js';

const FORMS = { any: (id: string) => id, word: wordCallId, short: shortCallId, nine: nineCharacterCallId };

const id = fc.oneof(fc.constantFrom('a', 'b', 'a-2', '调用'), fc.string({ minLength: 1, maxLength: 80 }));
const name = fc.constantFrom('now', 'weather');
const said = fc.constantFrom('', ' ', 'hello');
const user = said.map((text): ChatMessage => ({ role: 'user', text }));
const result = fc.record({ role: fc.constant('tool' as const), callId: id, name, text: said, isError: fc.boolean() });
const assistant = fc
  .record({
    text: said,
    toolCalls: fc.array(fc.record({ id, name, arguments: fc.constant('{}') }), { maxLength: 3 }),
    interrupted: fc.boolean(),
  })
  .map(({ interrupted, ...rest }): ChatMessage => ({ role: 'assistant', ...rest, ...(interrupted && { interrupted }) }));
const anything = fc.array(fc.oneof(user, assistant, result), { maxLength: 12 });

const call = (callId: string, tool = 'now') => ({ id: callId, name: tool, arguments: '{}' });
const asks = (...toolCalls: ReturnType<typeof call>[]): ChatMessage => ({ role: 'assistant', text: '', toolCalls });
const answers = (callId: string, text: string): ChatMessage => ({ role: 'tool', callId, name: 'now', text, isError: false });
const hi: ChatMessage = { role: 'user', text: 'hi' };

/** Every answer says something, and behind it are the results of its calls, in order, and no others. */
function expectPaired(messages: readonly ChatMessage[]): void {
  const due: unknown[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect({ id: message.callId, name: message.name }).toEqual(due.shift());
      continue;
    }
    expect(due).toEqual([]);
    if (message.role === 'user') continue;
    expect(message.toolCalls.length > 0 || message.text.trim() !== '' || message.interrupted).toBe(true);
    due.push(...message.toolCalls.map((each) => ({ id: each.id, name: each.name })));
  }
  expect(due).toEqual([]);
  const ids = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map((each) => each.id) : []));
  expect(new Set(ids).size).toBe(ids.length);
}

describe('calls and their results', () => {
  test.each(Object.entries(FORMS))('MO-4 whatever the messages, each call has its result behind it, with ids: %s', (_, form) => {
    fc.assert(
      fc.property(anything, (messages) => {
        const paired = pairedCalls(messages, form);
        expectPaired(paired);
        expect(paired[0]?.role ?? 'user').toBe('user');
        const given = messages.filter(({ role }) => role === 'user');
        const begins = { role: 'user', text: '(The conversation begins.)' };
        expect([given, [begins, ...given]]).toContainEqual(paired.filter(({ role }) => role === 'user'));
        expect(pairedCalls(paired, form)).toEqual(paired);
      }),
    );
  });

  test('MO-4 MO-5 what was paired stays as it is, and does not change when more is said', () => {
    fc.assert(
      fc.property(anything, anything, (before, more) => {
        const known = pairedCalls(before);
        const later = more.filter(({ role }) => role !== 'tool');
        expect(pairedCalls([...known, ...later]).slice(0, known.length)).toEqual(known);
      }),
    );
  });

  test('MO-4 a result finds its call across what was said between, a stray and a second one find none', () => {
    const paired = pairedCalls([
      answers('a', 'early'),
      hi,
      asks(call('a'), call('b')),
      hi,
      answers('b', 'B'),
      answers('b', 'BB'),
    ]);
    expect(paired).toEqual([
      hi,
      asks(call('a'), call('b')),
      { ...answers('a', expect.stringContaining('No result') as string), isError: true },
      answers('b', 'B'),
      hi,
    ]);
  });

  test('MO-4 an id that comes again is another one, and so is that of its result', () => {
    const turn = [hi, asks(call('a')), answers('a', '1')];
    const again = [hi, asks(call('a-2')), answers('a-2', '1')];
    expect(pairedCalls([...turn, ...turn])).toEqual([...turn, ...again]);
  });

  test('MO-4 ids have the form of their wire', () => {
    fc.assert(
      fc.property(id, (each) => {
        expect(wordCallId(each)).toMatch(/^[\w-]+$/);
        expect(shortCallId(each).length).toBeLessThanOrEqual(64);
        expect(nineCharacterCallId(each)).toMatch(/^[A-Za-z0-9]{9}$/);
      }),
    );
    expect(['call_1', 'D681PevKs'].map(nineCharacterCallId)).toEqual([expect.not.stringContaining('_'), 'D681PevKs']);
  });
});
