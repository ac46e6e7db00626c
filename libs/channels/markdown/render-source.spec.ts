import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderSource } from './render-source.js';

const cut = (markdown: string, limit: number) => renderSource(markdown, limit).map(({ text }) => text);

test('OUT-2 Markdown that fits is sent as it was written', () => {
  const markdown = '  # odd `markdown` **\n\n```\nunclosed';
  expect(cut(markdown, 64)).toEqual([markdown]);
  expect(cut('', 64)).toEqual(['']);
});

test.each([
  [
    'between blocks',
    'one two three four five six\n\nseven eight nine ten',
    40,
    ['one two three four five six', 'seven eight nine ten'],
  ],
  [
    'between lines',
    'one two three four five six\nseven eight nine ten',
    40,
    ['one two three four five six', 'seven eight nine ten'],
  ],
  [
    'between sentences without blanks',
    '一二三四五六七八九十一二三四五六七八九。五六七八一二三四五六七八九十',
    32,
    ['一二三四五六七八九十一二三四五六七八九。', '五六七八一二三四五六七八九十'],
  ],
  ['between words', 'one two three four five six seven eight', 32, ['one two three four five six', 'seven eight']],
  ['keeping the indent of a line', `${'a'.repeat(30)}\n  bb`, 32, ['a'.repeat(30), '  bb']],
  ['rather inside a word than a piece less than half full', `a ${'b'.repeat(40)}`, 32, [`a ${'b'.repeat(30)}`, 'b'.repeat(10)]],
  [
    'not inside an address',
    `${'汉'.repeat(10)}https://example.com/a?b=c#d`,
    32,
    ['汉'.repeat(10), 'https://example.com/a?b=c#d'],
  ],
  ['leaving blank pieces out', `a${' '.repeat(100)}b`, 32, ['a', `${' '.repeat(16)}b`]],
])('OUT-2 Markdown is cut %s', (_, markdown, limit, pieces) => {
  expect(cut(markdown, limit)).toEqual(pieces);
});

test('OUT-2 a code block that is cut is closed and opened again as it was, a table begins with its head', () => {
  const code = Array.from({ length: 6 }, (_, line) => `const line${line} = 1;`).join('\n');
  const chunks = cut(`Look:\n\n~~~~ts\n${code}\n~~~~\n\nDone.`, 64);
  expect(chunks.length).toBeGreaterThan(2);
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && chunk.includes('const')) expect(chunk).toMatch(/^~~~~ts\nconst[^~]*\n~~~~(\n\nDone\.)?$/);
  }
  const rows = Array.from({ length: 8 }, (_, row) => `| ${row} | value |`).join('\n');
  for (const chunk of cut(`| a | b |\n| - | - |\n${rows}`, 80)) expect(chunk).toMatch(/^\| a \| b \|\n\| - \| - \|\n\| \d/);
});

test('OUT-2 nothing but blanks is lost, and no piece is over the limit', () => {
  const text = fc.array(fc.constantFrom('a', 'bb', '😀', '。', ' ', '\n', '\n\n', 'e\u0301', '> '), { maxLength: 200 });
  fc.assert(
    fc.property(text, fc.integer({ min: 32, max: 60 }), (parts, limit) => {
      const whole = parts.join('');
      const pieces = cut(whole, limit);
      for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(limit);
      expect(pieces.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
    }),
  );
});
