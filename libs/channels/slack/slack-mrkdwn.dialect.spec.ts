import { expect, test } from 'vitest';
import { dialectContract } from '../../../test/dialect-kit.js';
import { readMrkdwn } from '../../../test/fakes/slack-mrkdwn.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { slackMrkdwn } from './slack-mrkdwn.dialect.js';

dialectContract('Slack mrkdwn', slackMrkdwn, readMrkdwn, 3000);

/** With `|` for the invisible space and `^` for the invisible joiner. */
const mrkdwn = (markdown: string) =>
  renderMarkdown(markdown, slackMrkdwn, 3000).map(({ body }) => body.replaceAll('\u200b', '|').replaceAll('\u2060', '^'));

test.each([
  ['plain & <b>raw</b>', 'plain &amp; &lt;b&gt;raw&lt;/b&gt;'],
  ['**bold _and italic_** `x < y` ~~gone~~', '|*bold |_and italic_|*| |`x &lt; y`| |~gone~|'],
  ['汉**字**汉', '汉|*字*|汉'],
  ['# A title\n\ntext', '|*A title*|\n\ntext'],
  ['```ts\nconst a = `1`;\n```', '```\nconst a = `1`;\n```'],
  ['[here](https://a.b/?x=1&y=|2)', '<https://a.b/?x=1&amp;y=%7C2|here>'],
  ['https://a.b/c_d_e', 'https://a.b/c_d_e'],
  ['> quoted\n> **twice**', '> quoted\n> |*twice*|'],
  ['- one\n  - two\n\n1. three', '• one\n  • two\n\n1. three'],
  ['hello <@U0ALEX>, <@u0alex> and `<@U0ALEX>`', 'hello <@U0ALEX>, &lt;@u0alex&gt; and |`&lt;@U0ALEX&gt;`|'],
  ['to <!channel> <!here|x> @channel', 'to &lt;!channel&gt; &lt;!here^^x&gt; @channel'],
  ['snake_case is \\*not\\* bold', 'snake_case is ^*^not^*^ bold'],
  ['a \\> b\n\\> no quote', 'a &gt; b\n|&gt; no quote'],
])('OUT-2 Slack is sent %j', (markdown, expected) => {
  expect(mrkdwn(markdown)).toEqual([expected.replace('^^', '|')]);
});
