import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from './text-cut.js';

const cut = (text: string, limit: number) => cutText(text, limit).map(({ start, end }) => text.slice(start, end));

test.each([
  ['between blocks', 'one two\n\nthree\nfour', 14, ['one two', 'three\nfour']],
  ['between lines', 'one two\nthree four', 12, ['one two', 'three four']],
  ['between sentences without spaces', '一二三四。五六七八', 7, ['一二三四。', '五六七八']],
  ['between words', 'one two three', 9, ['one two', 'three']],
  ['rather inside a word than a piece less than half full', 'a bbbbbbbbbbbb', 8, ['a bbbbbb', 'bbbbbb']],
  ['not inside a surrogate pair', 'aaa😀b', 4, ['aaa', '😀b']],
  ['a separator just behind the limit', 'abcd efgh', 4, ['abcd', 'efgh']],
  ['keeping the indent of a line', 'aaaaaa\n  bb', 8, ['aaaaaa', '  bb']],
  ['leaving blank pieces out', `a${' '.repeat(20)}b`, 5, ['a    ', '   b']],
])('OUT-2 text is cut %s', (_, text, limit, pieces) => {
  expect(cut(text, limit)).toEqual(pieces);
});

test('OUT-2 a blank text is one piece', () => {
  expect(cutText('', 5)).toEqual([{ start: 0, end: 0 }]);
  expect(cutText(' '.repeat(12), 5)).toHaveLength(1);
});

test('OUT-2 nothing but white space is lost, and no piece is over the limit', () => {
  const text = fc
    .array(fc.constantFrom('a', 'bb', '😀', '。', ' ', '\n', '\n\n'), { maxLength: 200 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 40 }), (whole, limit) => {
      const pieces = cut(whole, limit);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(limit);
        expect(piece.isWellFormed()).toBe(true);
      }
      expect(pieces.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
    }),
  );
});
