import { dialectContract } from '../../../test/dialect-kit.js';
import { cardDialect } from './card-dialect.js';
import { postDialect, postOf } from './post-dialect.js';

/** Feishu's posts have no quotes: a bar at the begin of the line says what it is. */
const QUOTE_BAR = /^(?:┃ ?)+/gm;

/** Posts are a structure: what is in a text element is shown, whatever it says. */
dialectContract(
  'Feishu post',
  postDialect,
  (body) => {
    const elements = postOf(body);
    const code = elements.flat().filter(({ tag }) => tag === 'code_block');
    return {
      text: elements
        .map((line) => line.map(({ text }) => text).join(''))
        .join('\n')
        .replace(QUOTE_BAR, ''),
      code: code.map(({ text }) => text).join('\n'),
    };
  },
  24_000,
);

dialectContract('Feishu card', cardDialect, readCard, 24_000);

const QUOTE_MARKS = /^(?:> ?)+/gm;

/** As the card's Markdown is described: fences, `**`, `*`, `~~`, `[]()`, entities; a tag would act. */
function readCard(body: string): { text: string; code: string } {
  const codes: string[] = [];
  const shown = body.split(/^((?:> )*)```[\w+#-]*\n([\s\S]*?)\n(?:> ?)*```$/m).map((part, index, parts) => {
    if (index % 3 === 0) return readText(part);
    if (index % 3 === 1) return '';
    const code = parts[index - 1] === '' ? part : part.replace(QUOTE_MARKS, '');
    codes.push(code);
    return code;
  });
  return { text: shown.join('\n'), code: codes.join('\n') };
}

function readText(markdown: string): string {
  if (/<[^>]*>/.test(markdown)) throw new Error(`a tag would act: ${markdown}`);
  const plain = markdown
    .replace(/\[([^\]]*)\]\((https?:\/\/[^\s()]+)\)/g, '$1')
    .replace(/\*{1,3}|~~/g, '')
    .replace(QUOTE_MARKS, '');
  return plain.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
