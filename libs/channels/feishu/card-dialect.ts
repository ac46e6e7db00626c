import type { Dialect, Markup, Style } from '../markdown/dialect.js';
import { fencedText } from '../markdown/fenced-text.js';

/** Shown as they are only as entities: https://open.feishu.cn/document/feishu-cards/card-json-v2-components/content-components/rich-text */
const SPECIAL = /[&*~<>[\]()#:_`!|\\$+-]/g;
const entity = (sign: string): string => `&#${sign.charCodeAt(0)};`;
const OPENABLE = /^https?:\/\/[^\s()<>]+$/i;

/** The Markdown of a card. */
export const cardDialect: Dialect = {
  counted: 'body',
  unit: 'bytes',
  bullet: '• ',
  tables: 'monospace',
  perLine: true,
  opens: (url) => OPENABLE.test(url),
  write: (style) => markupOf(style),
  escape: (text, { within }) => (within.some(({ kind }) => kind === 'fence') ? fencedText(text) : text.replace(SPECIAL, entity)),
};

function markupOf(style: Style): Markup | undefined {
  switch (style.kind) {
    case 'heading':
    case 'strong':
      return { open: '**', close: '**' };
    case 'emphasis':
      return { open: '*', close: '*' };
    case 'strike':
      return { open: '~~', close: '~~' };
    case 'link':
      return OPENABLE.test(style.url) && !style.bare ? { open: '[', close: `](${style.url})` } : undefined;
    case 'fence':
      return { open: `\`\`\`${/^[\w+#-]*$/.test(style.language ?? '') ? (style.language ?? '') : ''}\n`, close: '\n```' };
    case 'quote':
      return { open: '', close: '', linePrefix: '> ' };
    default:
      return undefined;
  }
}
