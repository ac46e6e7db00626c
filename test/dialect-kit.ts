import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown, type Dialect, type LengthUnit, type RenderedChunk } from '#channels';

/** What a platform shows of a body. */
export interface ShownMessage {
  /** All that can be read, in order, code too. */
  text: string;
  /** What of it stands in blocks of code. */
  code: string;
}

/**
 * The platform's own reading of a body, strict: throws where the platform would refuse it, and where it would act on it
 * (mention a whole channel, run a command).
 */
export type ReadBody = (body: string) => ShownMessage;

/** What every dialect must hold (docs/channel-adapters.md), at the platform's limit and at small ones, where cuts are many. */
export function dialectContract(name: string, dialect: Dialect, read: ReadBody, maxLength: number): void {
  const limits = fc.oneof(fc.integer({ min: 64, max: 400 }), fc.constant(maxLength));
  const render = (markdown: string, limit: number) => {
    const chunks = renderMarkdown(markdown, dialect, limit);
    for (const chunk of chunks) expectSound(chunk, limit);
    return chunks;
  };
  const expectSound = ({ text, body }: RenderedChunk, limit: number) => {
    expect(lengthOf(dialect.counted === 'text' ? text : body, dialect.unit)).toBeLessThanOrEqual(limit);
    expect(body.isWellFormed()).toBe(true);
    expect(visible(read(body).text)).toBe(visible(text));
  };

  describe(`dialect: ${name}`, () => {
    test('OUT-2 whatever the Markdown, each chunk fits, is valid for the platform, reads as its text, and none is empty', () => {
      fc.assert(
        fc.property(anyMarkdown, fc.integer({ min: 1, max: 8 }), limits, (markdown, times, limit) => {
          const chunks = render(markdown.repeat(times), limit);
          expect(chunks.length).toBeGreaterThan(0);
          if (visible(markdown) !== '') for (const { text } of chunks) expect(visible(text)).not.toBe('');
        }),
        { numRuns: 300 },
      );
    });

    test('OUT-2 however it is cut, the chunks together are the whole, in order', () => {
      fc.assert(
        fc.property(wordedMarkdown, limits, ({ words, markdown }, limit) => {
          const cut = render(markdown, limit).map(({ text }) => text);
          expect(visible(cut.join(''))).toBe(
            visible(
              render(markdown, ENDLESS)
                .map(({ text }) => text)
                .join(''),
            ),
          );
          expectInOrder(cut.join('\n').replaceAll(/\s/g, ''), words);
        }),
        { numRuns: 150 },
      );
    });

    test('OUT-2 no sign of several characters is split: emoji sequences, flags, marks, right-to-left and Indic letters', () => {
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...SIGNS), { minLength: 20, maxLength: 400 }), limits, (signs, limit) => {
          const cut = render(signs.join(''), limit).flatMap(({ text }) => signsOf(text));
          expect(cut.filter((sign) => sign !== ' ')).toEqual(signsOf(signs.join('')).filter((sign) => sign !== ' '));
        }),
        { numRuns: 100 },
      );
    });

    test('OUT-2 a sign longer than a whole message is cut between its characters, and nothing of it is lost', () => {
      const sign = `e${'\u0301\u0323'.repeat(300)}`;
      expect(
        render(`a ${sign} b`, 64)
          .map(({ text }) => text)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(`a${sign}b`);
    });

    test('OUT-2 what cannot be seen is no message by itself', () => {
      const texts = render(`a ${'\u200b'.repeat(500)} b`, 64).map(({ text }) => visible(text));
      expect(texts).toEqual(['a', 'b']);
    });

    test('OUT-2 mentions and addresses are whole in one chunk', () => {
      const before = fc.oneof(
        fc.constantFrom('汉字', 'word ', '。', ' '),
        fc.integer({ min: 60, max: 150 }).map((signs) => '汉'.repeat(signs)),
      );
      const atoms = fc.array(fc.tuple(before, fc.constantFrom(...ATOMS)), { minLength: 5, maxLength: 60 });
      fc.assert(
        fc.property(atoms, fc.integer({ min: 120, max: 400 }), (parts, limit) => {
          const texts = render(parts.map(([before, atom]) => `${before}${atom} `).join(''), limit).map(({ text }) => text);
          for (const [, atom] of parts)
            expect(
              texts.some((text) => text.includes(atom)),
              atom,
            ).toBe(true);
        }),
        { numRuns: 100 },
      );
    });

    const fence = dialect.write({ kind: 'fence', language: 'ts' }, { text: 'x', resumed: false, continued: false });
    if (fence)
      test('OUT-2 a block of code stays one: closed at the end of each chunk, opened again in the next', () => {
        const codes = fc.array(
          fc.constantFrom(
            'const a = 1;',
            '',
            '  return `x`;',
            '<b>&amp;</b>',
            '*not bold*',
            '# no title',
            '`````',
            'a````b',
            '```',
          ),
          {
            minLength: 1,
            maxLength: 80,
          },
        );
        fc.assert(
          fc.property(codes, limits, (lines, limit) => {
            const code = `begin\n${lines.join('\n')}\nend`;
            const shown = render(`before\n\n~~~ts\n${code}\n~~~\n\nafter`, limit).map(({ body }) => read(body));
            expect(visible(shown.map((message) => message.code).join('\n'))).toBe(visible(code));
          }),
          { numRuns: 100 },
        );
      });

    test('OUT-2 text that means something to a platform is shown, not obeyed', () => {
      for (const control of CONTROLS) {
        const [chunk] = render(`before ${control} after`, maxLength);
        expect(visible(chunk?.text ?? ''), control).toContain(visible(control));
      }
    });
  });
}

const ENDLESS = 10_000_000;

/** Blanks and invisible signs aside: dialects add and drop them at cuts and around delimiters. */
function visible(text: string): string {
  return text.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');
}

function lengthOf(text: string, unit: LengthUnit): number {
  return { utf16: text.length, bytes: Buffer.byteLength(text), characters: Array.from(text).length }[unit];
}

function expectInOrder(text: string, words: readonly string[]): void {
  let at = 0;
  for (const word of words) {
    const found = text.indexOf(word, at);
    expect(found, `"${word}" after ${at}`).toBeGreaterThanOrEqual(0);
    at = found + word.length;
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const signsOf = (text: string) => [...segmenter.segment(text)].map(({ segment }) => segment);

/** Family, skin tone, flags of two kinds, keycap, marks on Latin, Arabic, Hebrew, Thai, Devanagari, Hangul of parts. */
const SIGNS = ['👨‍👩‍👧‍👦', '👍🏽', '🇩🇪', '🇫🇷', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '1️⃣', 'e\u0301', 'Z\u0351\u0321', 'مُ', 'שָׁ', 'กำ', 'क्षि', '한', '汉', 'a', ' '];
const ATOMS = ['@example_user', 'https://example.com/a/path?with=query&and=more#part', '#channel-name', 'www.example.com/x'];
const CONTROLS = [
  '@everyone',
  '@here',
  '@channel',
  '<!channel>',
  '<!here|x>',
  '<@U012345>',
  '<@&123>',
  '<#C012345>',
  '</run:1234>',
  '<at id=all></at>',
  '<at user_id="all">all</at>',
  '<b>bold</b>',
  '<t:1764547200:R>',
];

const INLINE_MARKS = '** * _ __ ~~ ~ ` `` ``` || | \\ & < > &amp; &#10; &lt; <br> \u200b [x] $x$'.split(' ');
const BLOCK_MARKS = [
  '',
  '\n',
  '```js"<\n',
  '~~~\n',
  '> ',
  '>> ',
  '- ',
  '- [ ] ',
  '* ',
  '  ',
  '    ',
  '\t',
  '1. ',
  '# ',
  '### ',
  '---\n',
];
const LINK_MARKS = '[ ](http://a.b) ](http://a.b?c="d>&e) ](x) ![ [a]:/b <http://a.b> http://a.b [^1]'.split(' ');
const TABLE = '\n| a | b |\n| - | - |\n| ';
const ornaments = [...INLINE_MARKS, ...BLOCK_MARKS.map((mark) => `\n${mark}`), ...LINK_MARKS, TABLE, ...CONTROLS];
const anyMarkdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ornaments),
      fc.constantFrom(...ornaments),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('word ', '😀汉字 ', ' ', '. ', ...SIGNS),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

const word = fc.stringMatching(/^[a-z]{3,9}$/);
const shapes: ((word: string) => string)[] = [
  (w) => w,
  (w) => `**${w}**`,
  (w) => `_${w}_`,
  (w) => `~~${w}~~`,
  (w) => `\`${w}\``,
  (w) => `\n\n# ${w}\n\n`,
  (w) => `\n- ${w}\n`,
  (w) => `\n- [x] ${w}\n`,
  (w) => `\n  1. ${w}\n`,
  (w) => `\n> ${w}\n`,
  (w) => `[${w}](http://a.b/?c&d)`,
  (w) => `\n\n\`\`\`ts\n${w} <T> && x\n\`\`\`\n\n`,
  (w) => `\n\n| ${w} | b |\n| --- | --: |\n| <c> | **d** |\n\n`,
  (w) => `${w.repeat(9)}。`,
];
const wordedMarkdown = fc
  .array(fc.tuple(word, fc.constantFrom(...shapes), fc.constantFrom(' ', '\n', '\n\n')), { minLength: 1, maxLength: 60 })
  .map((parts) => ({ words: parts.map(([w]) => w), markdown: parts.map(([w, shape, gap]) => shape(w) + gap).join('') }));
