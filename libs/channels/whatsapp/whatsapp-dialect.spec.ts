import { expect, test } from 'vitest';
import { renderMarkdown } from '#channels';
import { dialectContract } from '../../../test/dialect-kit.js';
import { whatsappDialect } from './whatsapp-dialect.js';

dialectContract('WhatsApp', whatsappDialect, readWhatsApp, 4096);

/**
 * As WhatsApp is described: monospace between three back quotes; on one line `*b*`, `_i_`, `~s~` and code, whose delimiters
 * stand at the edge of a word and against their text; `> ` and `- ` at the begin of a line; addresses as they are.
 */
function readWhatsApp(body: string): { text: string; code: string } {
  const codes: string[] = [];
  const monospace = (_: string, quote: string, inside: string): string => {
    if (!inside.startsWith('\n')) return quote + kept(inside);
    const code = quote === '' ? inside : inside.replace(QUOTE, '');
    codes.push(code.trim());
    return quote + kept(code);
  };
  return { text: readText(body.replace(/((?:^(?:> )+)?)```([\s\S]*?)```/gm, monospace)), code: codes.join('\n') };
}

const QUOTE = /^(?:>(?: |$))+/gm;
const CODE = /(?<![\p{L}\p{N}])`(?![\s\u200b])([^\n`]*?)(?<!\u200b)`(?![\p{L}\p{N}])/gu;
const DELIMITED = /(?<![\p{L}\p{N}])([*_~])(?![\s\u200b])([^\n]*?)(?<![\s\u200b])\1(?![\p{L}\p{N}])/gu;
/** The last one is none: an edge. */
const SIGNS = ['*', '_', '~', '`', '>', '-', ''];
const privateSign = (sign: string): string => `\ue777${String.fromCharCode(0xe780 + SIGNS.indexOf(sign))}`;
/** What is inside of code and addresses means nothing: private signs stand for it until the rest is read. */
const kept = (text: string): string => `${privateSign('')}${text.replace(/[*_~`>-]/g, privateSign)}${privateSign('')}`;

function readText(part: string): string {
  let text = part
    .replace(QUOTE, '')
    .replace(/^- /gm, '')
    .replace(CODE, (_, code: string) => kept(code))
    .replace(/https?:\/\/[^\s\u200b*~`]+/g, kept);
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(DELIMITED, '$2');
  }
  return text.replace(/\ue777([\ue780-\ue786])/g, (_, sign: string) => SIGNS[sign.charCodeAt(0) - 0xe780] ?? '');
}

const rendered = (markdown: string) => renderMarkdown(markdown, whatsappDialect, 4096)[0]?.body;

test.each([
  ['**bold** _italic_ ~~gone~~ `code`', '*bold* _italic_ ~gone~ `code`'],
  ['# Title\n\ntext', '*Title*\n\ntext'],
  ['- one\n- two', '• one\n• two'],
  ['> said', '> said'],
  ['```ts\nx = 1\n```', '```\nx = 1\n```'],
  ['[site](https://a.b)', 'site (https://a.b)'],
  ['https://a.b/x_y_z', 'https://a.b/x_y_z'],
  ['call snake_case_name', 'call snake_case_name'],
  ['2 \\* 3 \\* 4', '2 \u200b*\u200b 3 \u200b*\u200b 4'],
])('OUT-2 %s', (markdown, body) => {
  expect(rendered(markdown)).toBe(body);
});
