import type { Dialect, Markup, Style } from '../markdown/dialect.js';

/** Begins a mark of ours; twice, it is itself. No text needs any other escape, because a post is a structure, not a markup. */
const MARK = '\u0001';
const MARKS = {
  strong: 'b',
  emphasis: 'i',
  strike: 's',
  link: 'a',
  fence: 'f',
  /** Ends what a link or a fence carries before its text. */
  head: 'h',
  end: 'e',
} as const;

const OPENABLE = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** Rich text as Feishu's posts have it: styled texts, links and blocks of code, line by line; `postOf` makes them of the body. */
export const postDialect: Dialect = {
  counted: 'body',
  unit: 'bytes',
  bullet: '• ',
  tables: 'monospace',
  perLine: true,
  opens: (url) => OPENABLE.test(url),
  write: (style) => markupOf(style),
  escape: (text) => text.replaceAll(MARK, MARK + MARK),
};

function markupOf(style: Style): Markup | undefined {
  const close = MARK + MARKS.end;
  switch (style.kind) {
    case 'heading':
    case 'strong':
      return { open: MARK + MARKS.strong, close };
    case 'emphasis':
      return { open: MARK + MARKS.emphasis, close };
    case 'strike':
      return { open: MARK + MARKS.strike, close };
    case 'link':
      return OPENABLE.test(style.url) ? { open: `${MARK}${MARKS.link}${style.url}${MARK}${MARKS.head}`, close } : undefined;
    case 'fence':
      return { open: `${MARK}${MARKS.fence}${languageOf(style.language)}${MARK}${MARKS.head}`, close };
    case 'quote':
      return { open: '', close: '', linePrefix: '┃ ' };
    default:
      return undefined;
  }
}

const languageOf = (language = ''): string => (/^[\w+#-]{1,20}$/.test(language) ? language.toUpperCase() : '');

export type PostElement =
  | { tag: 'text'; text: string; style?: string[] }
  | { tag: 'a'; text: string; href: string; style?: string[] }
  | { tag: 'code_block'; text: string; language?: string };

interface Open {
  kind: string;
  /** Address or language. */
  head: string;
}

const STYLES: Readonly<Record<string, string>> = { b: 'bold', i: 'italic', s: 'lineThrough' };

/** The lines of a post. A block of code is a line of its own. */
export function postOf(body: string): PostElement[][] {
  const lines: PostElement[][] = [[]];
  const open: Open[] = [];
  const append = (text: string): void => {
    const fence = open.find(({ kind }) => kind === MARKS.fence);
    if (fence) return appendCode(lines, { tag: 'code_block', text, ...(fence.head !== '' && { language: fence.head }) });
    for (const [index, line] of text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (line !== '') lines.at(-1)?.push(elementOf(line, open));
    }
  };
  for (const { kind, text } of tokensOf(body)) {
    if (kind === 'text') append(text);
    else if (kind === MARKS.end) open.pop();
    else open.push({ kind, head: text });
  }
  return withoutEdges(lines).map((line) => (line.length > 0 ? line : [{ tag: 'text', text: ' ' }]));
}

/** The line breaks around it are in the text before and after. */
function appendCode(lines: PostElement[][], code: PostElement): void {
  if (lines.at(-1)?.length === 0) lines.pop();
  lines.push([code]);
}

function elementOf(text: string, open: readonly Open[]): PostElement {
  const styles = open.flatMap(({ kind }) => STYLES[kind] ?? []);
  const style = styles.length > 0 ? { style: [...new Set(styles)] } : {};
  const link = open.find(({ kind }) => kind === MARKS.link);
  return link ? { tag: 'a', text, href: link.head, ...style } : { tag: 'text', text, ...style };
}

interface Token {
  kind: string;
  text: string;
}

function* tokensOf(body: string): Generator<Token> {
  let text = '';
  for (let at = 0; at < body.length; at++) {
    const next = body[at + 1] ?? '';
    if (body[at] !== MARK || next === MARK) {
      text += body[at];
      if (body[at] === MARK) at++;
      continue;
    }
    at++;
    if (next === MARKS.head) continue;
    if (text !== '') yield { kind: 'text', text };
    text = '';
    const head = next === MARKS.link || next === MARKS.fence ? body.slice(at + 1, body.indexOf(MARK, at + 1)) : '';
    at += head.length;
    yield { kind: next, text: head };
  }
  if (text !== '') yield { kind: 'text', text };
}

function withoutEdges(lines: PostElement[][]): PostElement[][] {
  const first = lines.findIndex((line) => line.length > 0);
  const last = lines.findLastIndex((line) => line.length > 0);
  return first < 0 ? [] : lines.slice(first, last + 1);
}
