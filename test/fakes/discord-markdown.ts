import type { ShownMessage } from '../dialect-kit.js';

/** A block of code, also in a quote, whose mark is on each of its lines; a mark inside of it is a sign like others. */
const FENCE = /^((?:> ?)*)```[\w+-]*\n([^]*?)\n\1```$/m;
const QUOTE = /^(?:> ?)+/gm;
/** In the order in which Discord looks for them. */
const TOKEN =
  /\\([^0-9A-Za-z\s])|(`+)([^]*?[^`])\2(?!`)|<(?:@!?|#|a?:\w+:)\d+>|<(https?:\/\/[^\s<>]+)>|(\*+|~~|\[)|\]\(<(https?:\/\/[^\s<>]+)>\)|(\|\||[_`<\]])/g;

/**
 * What Discord shows of a text, written from its documentation and not from our dialect: formatting, the marks of quotes
 * and headings, and the addresses behind labels gone.
 * @throws for formatting that is not closed, and for signs that are neither escaped nor part of what we write
 */
export function readDiscordMarkdown(body: string): ShownMessage {
  const words: string[] = [];
  const code: string[] = [];
  // Text, the mark of a quote, the inside of a block, text ...
  body.split(FENCE).forEach((part, index, parts) => {
    if (index % 3 === 0) words.push(readWords(part.replaceAll(QUOTE, '')));
    if (index % 3 !== 2) return;
    const inside = part.split('\n').map((line) => line.slice(parts[index - 1]?.length ?? 0));
    code.push(...inside);
    words.push(...inside);
  });
  return { text: words.join('\n'), code: code.join('\n') };
}

function readWords(text: string): string {
  if (/^```/m.test(text)) throw new Error('a fence is not closed');
  const open: string[] = [];
  const shown = text
    .replaceAll(/^#{1,3} /gm, '')
    .replaceAll(
      TOKEN,
      (token, escaped?: string, _run?: string, code?: string, address?: string, mark?: string, link?: string, bare?: string) => {
        if (bare !== undefined) throw new Error(`bare ${bare} in ${JSON.stringify(text)}`);
        if (link !== undefined) {
          if (open.pop() !== '[') throw new Error(`a link ends in ${JSON.stringify(text)}`);
          return '';
        }
        if (mark === undefined) return escaped ?? code ?? address ?? token;
        // Two that end together.
        for (const one of mark === '***' ? [open.at(-1) ?? '', open.at(-2) ?? ''] : [mark]) {
          if (one === open.at(-1)) open.pop();
          else open.push(one);
        }
        return '';
      },
    );
  if (open.length > 0) throw new Error(`${open.join(' ')} not closed in ${JSON.stringify(text)}`);
  return shown;
}
