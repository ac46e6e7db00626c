import { expect, test } from 'vitest';
import { dialectContract } from '../../../test/dialect-kit.js';
import { readDiscordMarkdown } from '../../../test/fakes/discord-markdown.js';
import { renderMarkdown } from '../markdown/render-markdown.js';
import { discordMarkdown } from './discord-markdown.dialect.js';

dialectContract('Discord Markdown', discordMarkdown, readDiscordMarkdown, 2000);

/** With `|` for the invisible space. */
const written = (markdown: string) =>
  renderMarkdown(markdown, discordMarkdown, 2000).map(({ body }) => body.replaceAll('\u200b', '|'));

test.each([
  ['plain & <b>raw</b> \\*not bold\\* snake_case', 'plain & \\<b>raw\\</b> \\*not bold\\* snake\\_case'],
  ['**bold *and italic*** `x < y` ~~gone~~', '**bold *and italic*** `x < y` ~~gone~~'],
  ['***both*** and **one***other*', '*|**both*** and **one**|*other*'],
  ['# A **bold** title\n\n#### deep', '# A **bold** title\n\n### deep'],
  ['```ts\nconst a = `1`;\n```', '```ts\nconst a = `1`;\n```'],
  ['`` a`b ``', '`` a`b ``'],
  ['`**\n``b` and `a\nb`', '\\*\\* \\`\\`b and `a b`'],
  ['~~~\na`````b ``c``\n~~~', '```\na``|``|`b ``c``\n```'],
  ['**two\r\nlines**\r\n\r\n~~~\r\na\r\nb\r\n~~~', '**two\nlines**\n\n```\na\nb\n```'],
  ['[report](<https://a.b/my file.pdf>)', '[report](<https://a.b/my%20file.pdf>)'],
  ['[here](https://a.b/?x=(1)&y_z)', '[here](<https://a.b/?x=(1)&y_z>)'],
  ['**see https://a.b/c_d_e**', '**see <https://a.b/c_d_e>**'],
  ['> quoted\n> **twice**', '> quoted\n> **twice**'],
  ['- one\n  - two\n\n1. three', '- one\n  - two\n\n1. three'],
  [
    '1986\\. A year\n\\# no title\n\\- no item\n-# no small print',
    '1986\\. A year\n\\# no title\n\\- no item\n\\-# no small print',
  ],
  [
    '<@200000000000000001> <#500> <:yes:1> <@&9> <t:1:R> @everyone',
    '<@200000000000000001> <#500> <:yes:1> \\<@&9> \\<t:1:R> @everyone',
  ],
])('OUT-2 Discord is sent %j', (markdown, expected) => {
  expect(written(markdown)).toEqual([expected]);
});
