import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeThrown, withoutQuotes } from './quotes.js';

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** How others write a text into an error. */
const WAYS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'as JSON': (text) => JSON.stringify(text),
  'as JSON in JSON': (text) => JSON.stringify(JSON.stringify({ content: text })),
  'as ASCII': (text) =>
    JSON.stringify(text).replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'in an address': (text) => encodeURIComponent(text),
  'in a page': (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  'cut off': (text) => text.slice(0, 40),
};
const words = fc.array(
  fc.constantFrom('order', '4711', 'Müller', '你好世界', 'привет', 'a', '-', '"x"', '<b>', '&', "it's", '%', '\n', '\\'),
  {
    minLength: 8,
    maxLength: 40,
  },
);
const text = fc
  .oneof(
    words.map((all) => all.join(' ')),
    fc.string({ unit: 'grapheme', minLength: 30, maxLength: 200 }),
  )
  .filter((one) => one.isWellFormed());

test.each(Object.entries(WAYS))('OUT-4 OP-4 no run of twelve letters of a text is left of what quotes it: %s', (_, way) => {
  fc.assert(
    fc.property(text, fc.string(), fc.string(), (one, before, after) => {
      const left = lettersOf(withoutQuotes(`${before} ${way(one)} ${after}`, [one]));
      const plain = Array.from(lettersOf(one));
      const around = lettersOf(before + after);
      for (let at = 0; at + 12 <= plain.length; at += 1) {
        const run = plain.slice(at, at + 12).join('');
        expect(around.includes(run) || !left.includes(run)).toBe(true);
      }
    }),
  );
});

test('OP-4 the words of the other side stay', () => {
  const text = 'My PIN is 1234, "please" remember\nit';
  expect(withoutQuotes('400 messages.0: max_tokens must be at least 1', [text])).toBe(
    '400 messages.0: max_tokens must be at least 1',
  );
  expect(withoutQuotes(`400 bad: {"text":${JSON.stringify(text)},"n":1}`, [text])).toBe('400 bad: {"text":"…","n":1}');
  expect(withoutQuotes('no: MY PIN IS 1234 PLEASE!', [text])).toBe('no: …!');
  expect(withoutQuotes('chat not found: hunter2', ['hunter2'])).toBe('chat not found: …');
  expect(withoutQuotes('this is it', ['hi', 'is'])).toBe('this is it');
  expect(withoutQuotes('x'.repeat(5000), [])).toHaveLength(1001);
});

test('OP-4 what code of others threw is told with its frames, without what it was given', () => {
  const given = { from: ['ann'], said: { text: 'my secret plans' } };
  const { error, stack } = describeThrown(new TypeError(`cannot read ${JSON.stringify(given)}`), given);
  expect(error).toBe('TypeError: cannot read {"from":["ann"],"said":{"text":"…"}}');
  expect(stack).toMatch(/^ {4}at .*quotes\.spec/);
  expect(describeThrown('my secret plans', given)).toEqual({ error: '…' });
});
