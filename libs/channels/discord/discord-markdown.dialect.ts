import type { Dialect, Markup, Part, Style } from '../markdown/dialect.js';
import { fencedText } from '../markdown/fenced-text.js';

const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Discord's Markdown (https://support.discord.com/hc/en-us/articles/210298617). Mentions of people and channels and a
 * server's own emoji, `<@id>`, `<#id>`, `<:name:id>`, are left as they are; whom they may ping is said beside the text.
 * Addresses stand in angle brackets: they end where they end, and get no preview.
 */
export const discordMarkdown: Dialect = {
  counted: 'body',
  unit: 'utf16',
  bullet: '- ',
  tables: 'monospace',
  perLine: false,
  opens: (url) => WEB_ADDRESS.test(url),
  write: writeMarkdown,
  escape(text, { lineStart, within }) {
    if (within.some(({ kind }) => kind === 'fence')) return fencedText(text);
    if (within.some((style) => isCode(style, text) || isPlainAddress(style, text))) return text;
    const escaped = text.replace(SPECIAL, (found) => (found.length > 1 ? found : `\\${found}`));
    return lineStart ? escaped.replace(LINE_MARK, '$1\\$2') : escaped;
  },
};

const WEB_ADDRESS = /^https?:\/\/[^\s<>]+$/i;
/** What is one sign already, and what begins or ends markup. */
const SPECIAL = /<(?:@!?|#|a?:\w+:)\d+>|[\\*_~`|<[\]]/g;
/** Of a quote, a heading, small print, an item of a list. */
const LINE_MARK = /^(\s*\d*)([>#+-]|\.(?=\s))/;

function writeMarkdown(style: Style, { text }: Part): Markup | undefined {
  switch (style.kind) {
    case 'strong':
      return around('**');
    case 'emphasis':
      return around('*');
    case 'strike':
      return around('~~');
    case 'heading':
      return { open: '', close: '', linePrefix: `${'#'.repeat(Math.min(style.depth, 3))} ` };
    case 'code':
      return isCode(style, text) ? codeMarkup(text) : undefined;
    case 'fence':
      return { open: `\`\`\`${/^[\w+-]+$/.exec(style.language ?? '')?.[0] ?? ''}\n`, close: '\n```' };
    case 'quote':
      return { open: '', close: '', linePrefix: '> ' };
    case 'link':
      if (isPlainAddress(style, text)) return { open: '<', close: '>' };
      return style.bare ? undefined : { open: '[', close: `](<${style.url}>)` };
    default:
      return undefined;
  }
}

/** Apart from another delimiter of its kind, with which it would be another one. */
function around(delimiter: string): Markup {
  return { open: delimiter, close: delimiter, joint: apartFrom(delimiter) };
}

function apartFrom(delimiter: string): (outside: string) => string {
  return (outside) => (outside === delimiter.charAt(0) ? ZERO_WIDTH_SPACE : '');
}

function codeMarkup(text: string): Markup {
  return text.includes('`') ? { open: '`` ', close: ' ``', joint: apartFrom('`') } : around('`');
}

/** Three backticks would begin a block, wherever they stand. */
function isCode(style: Style, text: string): boolean {
  return style.kind === 'code' && !text.includes('``');
}

function isPlainAddress(style: Style, text: string): boolean {
  return style.kind === 'link' && style.bare && WEB_ADDRESS.test(text);
}
