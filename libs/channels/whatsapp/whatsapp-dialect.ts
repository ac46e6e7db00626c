import type { Dialect, Markup, Part, Style } from '../markdown/dialect.js';
import { fencedText } from '../markdown/fenced-text.js';

/** Takes no room, and is no part of a word. */
const ZERO_WIDTH_SPACE = '\u200b';
/** What would be read as markup: not inside an address, nor the underscores inside a word. */
const ACTIVE = /https?:\/\/[^\s\u200b*~`]+|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[*~`]/gu;
const LINE_MARK = /^(?=(?:[>*-]|\d+\.)(?: |$))/;
/** A delimiter acts only against its text, and not at the end of an address. */
const LOOSE = /^[\s\p{Default_Ignorable_Code_Point}*_~`]|[\s\p{Default_Ignorable_Code_Point}*_~`]$|https?:\/\/\S*$/u;

const DELIMITED: ReadonlySet<Style['kind']> = new Set(['heading', 'strong', 'emphasis', 'strike']);

/**
 * WhatsApp has no escape sign: invisible ones around a delimiter take its power. Links have no labels; the app makes
 * addresses clickable. Bold and the like end with their line. https://faq.whatsapp.com/539178204879377
 */
export const whatsappDialect: Dialect = {
  counted: 'body',
  unit: 'utf16',
  bullet: '• ',
  tables: 'monospace',
  perLine: true,
  opens: () => false,
  write: markupOf,
  escape(text, { lineStart, within }) {
    if (within.some(({ kind }) => kind === 'fence')) return fencedText(text);
    if (within.some(({ kind }) => kind === 'code')) return text.replaceAll('`', `\`${ZERO_WIDTH_SPACE}`);
    const disarmed = text.replace(ACTIVE, (found) => (found.length > 1 ? found : ZERO_WIDTH_SPACE + found + ZERO_WIDTH_SPACE));
    // Behind the delimiter of a style it is at no begin of a line.
    const bare = !within.some(({ kind }) => DELIMITED.has(kind)) || LOOSE.test(text);
    return lineStart && bare ? disarmed.replace(LINE_MARK, ZERO_WIDTH_SPACE) : disarmed;
  },
};

function markupOf(style: Style, { text }: Part): Markup | undefined {
  switch (style.kind) {
    case 'heading':
    case 'strong':
      return LOOSE.test(text) ? undefined : around('*');
    case 'emphasis':
      return LOOSE.test(text) ? undefined : around('_');
    case 'strike':
      return LOOSE.test(text) ? undefined : around('~');
    case 'code':
      return around(text.includes('`') || LOOSE.test(text) ? '```' : '`');
    case 'fence':
      return { open: '```\n', close: '\n```' };
    case 'quote':
      return { open: '', close: '', linePrefix: '> ' };
    default:
      return undefined;
  }
}

/** Inside a word, or beside its like, no delimiter acts: there an edge is made. */
function around(delimiter: string): Markup {
  const joint = (outside: string): string => (outside === delimiter || /[\p{L}\p{N}]/u.test(outside) ? ZERO_WIDTH_SPACE : '');
  return { open: delimiter, close: delimiter, joint };
}
