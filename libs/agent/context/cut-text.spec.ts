import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutText, MARKER_TOKENS } from './cut-text.js';
import { textTokens } from './token-estimate.js';

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n} of something long enough`).join('\n');

describe('the estimate', () => {
  test('CX-2 four ASCII characters are a token, one Chinese character more than one', () => {
    expect(textTokens('abcd'.repeat(100))).toBe(100);
    expect(textTokens('上下文窗口')).toBe(6.25);
    expect(textTokens('こんにちは')).toBe(6.25);
    expect(textTokens('안녕하세요')).toBe(6.25);
    expect(textTokens('привет')).toBe(3);
    expect(textTokens('👍')).toBe(2);
  });
});

describe('a cut text', () => {
  test('CX-2 says its whole size and the offset to read on from, which is where the cut is', () => {
    const text = lines(200);
    const cut = cutText(text, 300);
    const [, shown, total, offset] =
      /\[Cut: the first (\d+) of (\d+) characters\. Read on from offset (\d+)\.\]$/.exec(cut) ?? [];
    expect(Number(total)).toBe(text.length);
    expect(shown).toBe(offset);
    expect(cut.startsWith(text.slice(0, Number(offset)))).toBe(true);
  });

  test('CX-2 ends with a whole line when a line ends near', () => {
    const cut = cutText(lines(200), 300);
    const [shown = ''] = cut.split('\n[Cut');
    expect(shown.endsWith('long enough\n')).toBe(true);
  });

  test.each([
    ['an error', `${lines(300)}\nTypeError: x is not a function`],
    ['a summary', `${lines(300)}\n12 passed, 3 total`],
    ['a JSON end', `[${lines(300)}]`],
    ['a Chinese error', `${'日志'.repeat(4000)}\n构建失败：缺少模块`],
  ])('TU-6 keeps the end beside the beginning when it is %s', (_, text) => {
    const cut = cutText(text, 400);
    expect(cut.startsWith(text.slice(0, 100))).toBe(true);
    expect(cut.endsWith(text.slice(-12))).toBe(true);
    const [, from, to, total] = /\[Characters (\d+) to (\d+) of (\d+) are left out\. Read on from offset \1\.\]/.exec(cut) ?? [];
    expect([cut.startsWith(text.slice(0, Number(from))), cut.endsWith(text.slice(Number(to))), Number(total)]).toEqual([
      true,
      true,
      text.length,
    ]);
  });

  test('CX-2 never is longer than allowed, never ends within a character, and leaves alone what fits', () => {
    const unit = fc.constantFrom('a', '\n', 'é', '上', '👍', 'error ', '}');
    fc.assert(
      fc.property(
        fc.array(unit, { maxLength: 600, size: 'max' }),
        fc.integer({ min: MARKER_TOKENS, max: 400 }),
        fc.boolean(),
        (units, most, both) => {
          const text = units.join('');
          const cut = cutText(text, most, both);
          expect(textTokens(cut)).toBeLessThanOrEqual(most);
          expect(cut.isWellFormed()).toBe(true);
          if (textTokens(text) <= most) expect(cut).toBe(text);
          else expect(cut).toContain(` of ${text.length} `);
        },
      ),
    );
  });

  test('CX-2 a character of two units is shown whole or not at all', () => {
    for (let lead = 0; lead < 8; lead++) {
      const text = 'a'.repeat(lead) + '👍'.repeat(200);
      for (const bothEnds of [true, false]) expect(cutText(text, 101, bothEnds).isWellFormed()).toBe(true);
      expect(cutText('👍'.repeat(200) + 'a'.repeat(lead), 101, true).isWellFormed()).toBe(true);
    }
  });
});
