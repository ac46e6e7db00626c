import { expect, test } from 'vitest';
import { styleMarkdown } from './markdown.js';

function html(markdown: string): string {
  const styled = styleMarkdown(markdown);
  return styled.html({ start: 0, end: styled.text.length });
}

test.each([
  ['plain & <b>raw</b> "text"', 'plain &amp; &lt;b&gt;raw&lt;/b&gt; &quot;text&quot;'],
  ['**bold _and italic_** `x < y`', '<b>bold <i>and italic</i></b> <code>x &lt; y</code>'],
  ['# Title\n\ntext\nnext line', '<b>Title</b>\n\ntext\nnext line'],
  ['```ts\nconst a = 1;\n```', '<pre><code class="language-ts">const a = 1;</code></pre>'],
  ['```\nplain\n```', '<pre>plain</pre>'],
  ['[here](https://a.b/?x=1&y="2")', '<a href="https://a.b/?x=1&amp;y=&quot;2&quot;">here</a>'],
  [
    '[here][1] and [there](./file.md)\n\n[1]: https://a.b',
    '<a href="https://a.b">here</a> and there (./file.md)\n\n[1]: https://a.b',
  ],
  ['![a cat](https://a.b/cat.png)', '<a href="https://a.b/cat.png">a cat</a>'],
  ['[](javascript:alert)', 'javascript:alert'],
  ['> quoted\n>\n> > twice', '<blockquote>quoted\n\ntwice</blockquote>'],
  ['- one\n- two\n  - inner\n    more\n\n3. three\n4. four', '• one\n• two\n  • inner\n    more\n\n3. three\n4. four'],
  ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
  ['[a]: http://only.a/definition', '[a]: http://only.a/definition'],
  ['#', '#'],
  ['&nbsp;', '&amp;nbsp;'],
  ['lone \ud83d half', 'lone \ufffd half'],
])('OUT-2 Telegram shows %j', (markdown, expected) => {
  expect(html(markdown)).toBe(expected);
});

test('OUT-2 a slice of formatted text is formatted by itself', () => {
  const styled = styleMarkdown('**bold _italic_ end** `code`');
  expect(styled.html({ start: 2, end: 8 })).toBe('<b>ld <i>ita</i></b>');
  expect(styled.html({ start: 8, end: 19 })).toBe('<b><i>lic</i> end</b> <code>cod</code>');
});

test('OUT-2 hostile nesting keeps its words, and a text too long to parse in time is shown as it is', () => {
  const deep = `${'> '.repeat(5_000)}word`;
  expect(html(deep)).toContain('word');
  const long = `**${'*a'.repeat(100_000)}**`;
  expect(styleMarkdown(long).text).toBe(long);
});
