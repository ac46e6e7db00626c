import { expect, test } from 'vitest';
import { dialectContract } from '../../../test/dialect-kit.js';
import { readTelegramHtml } from '../../../test/fakes/telegram-html.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { telegramHtml } from './telegram-html.dialect.js';

dialectContract('Telegram HTML', telegramHtml, readTelegramHtml, 4096);

const html = (markdown: string) => renderMarkdown(markdown, telegramHtml, 4096).map(({ body }) => body);

test.each([
  ['plain & <b>raw</b> "text"', 'plain &amp; &lt;b&gt;raw&lt;/b&gt; &quot;text&quot;'],
  ['**bold _and italic_** `x < y` ~~gone~~', '<b>bold <i>and italic</i></b> <code>x &lt; y</code> <s>gone</s>'],
  ['# A **bold** title\n\ntext\nnext line', '<b>A bold title</b>\n\ntext\nnext line'],
  ['```ts\nconst a = 1;\n```', '<pre><code class="language-ts">const a = 1;</code></pre>'],
  ['```\nplain\n```', '<pre>plain</pre>'],
  ['[here](https://a.b/?x=1&y="2")', '<a href="https://a.b/?x=1&amp;y=&quot;2&quot;">here</a>'],
  ['https://a.b/c_d_e and www.a.b', 'https://a.b/c_d_e and www.a.b'],
  [
    '[here][1] and [there](./file.md)\n\n[1]: https://a.b',
    '<a href="https://a.b">here</a> and there (./file.md)\n\n[1]: https://a.b',
  ],
  ['![a cat](https://a.b/cat.png)', '<a href="https://a.b/cat.png">a cat</a>'],
  ['[![build](https://a.b/i.svg)](https://a.b/ci)', '<a href="https://a.b/ci">build</a>'],
  ['[](javascript:alert)', 'javascript:alert'],
  ['> quoted\n>\n> > twice', '<blockquote>quoted\n\ntwice</blockquote>'],
  [
    '- one\n- two\n  - inner\n    more\n\n9. nine\n10. ten\n    more',
    '• one\n• two\n  • inner\n    more\n\n9. nine\n10. ten\n    more',
  ],
  ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
  ['- ```\n  code\n   more\n  ```\n- > quote', '• \n<pre>code\n more</pre>\n• \n<blockquote>quote</blockquote>'],
  ['| A | B |\n| :- | -: |\n| 汉字 | 1 |\n| x | **20** |', '<pre>A    │  B\n──── │ ──\n汉字 │  1\nx    │ 20</pre>'],
  ['| A | B |\n| - | - |\n| [x](http://a.b) | y<br>z |', '<b>A</b> | <b>B</b>\n<a href="http://a.b">x</a> | y z'],
  ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
  ['[a]: http://only.a/definition', '[a]: http://only.a/definition'],
  ['#', '#'],
  ['&nbsp;', '&amp;nbsp;'],
  ['lone \ud83d half', 'lone \ufffd half'],
])('OUT-2 Telegram shows %j', (markdown, expected) => {
  expect(html(markdown)).toEqual([expected]);
});

test('OUT-2 hostile nesting keeps its words, and what is too crowded to be read in time is shown as it is', () => {
  expect(html(`${'> '.repeat(5_000)}word`).join('')).toContain('word');
  const crowded = `**${'*a'.repeat(100_000)}**`;
  expect(html(crowded).join('')).toBe(crowded);
});

test('OUT-2 a very long text is formatted all the way, also behind a part of it that cannot be read', () => {
  const crowded = '*a'.repeat(14_000);
  const code = '```ts\nconst a = 1;\n\nconst b = 2;\n```\n\n'.repeat(500);
  const written = html(`${crowded}\n\n${'Some **bold** words.\n\n'.repeat(2000)}${code}**end**`);
  expect(written.join('').match(/<b>bold<\/b>/g)?.length).toBeGreaterThan(1500);
  expect(written.join('').match(/const b = 2;/g)).toHaveLength(500);
  expect(written.join('')).not.toContain('```');
  expect(written.at(-1)).toMatch(/<b>end<\/b>$/);
});
