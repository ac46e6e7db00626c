import { expect, test } from 'vitest';
import { readTelegramHtml } from './telegram-html.js';

test('OUT-2 the judge of Telegram HTML reads what Telegram reads', () => {
  const html =
    '<b>a &lt; <i>b</i></b> <a href="https://a.b/?x=1&amp;y=2">c</a>\n<pre><code class="language-ts">&amp;&quot;&#128512;&#x41;</code></pre> > "';
  expect(readTelegramHtml(html)).toEqual({ text: 'a < b c\n&"😀A > "', code: '&"😀A' });
});

test.each([
  '<b>',
  '</b>',
  '<b><i></b></i>',
  '<p>x</p>',
  'a & b',
  'a < b',
  '&nbsp;',
  '<a href="a"b">x</a>',
  '<blockquote><blockquote>x</blockquote></blockquote>',
  '<b',
])('OUT-2 the judge of Telegram HTML refuses %s', (html) => {
  expect(() => readTelegramHtml(html)).toThrow();
});
