import type { Dialect, Markup, Style } from '../markdown/dialect.js';

/**
 * Telegram's HTML (https://core.telegram.org/bots/api#html-style). Its limits count UTF-16 units "after entities
 * parsing". `@name` stays a mention: Telegram has none that reaches a whole group.
 */
export const telegramHtml: Dialect = {
  counted: 'text',
  unit: 'utf16',
  bullet: '• ',
  tables: 'monospace',
  perLine: false,
  opens: (url) => /^(?:https?:\/\/|mailto:|tel:|tg:\/\/)./i.test(url),
  write: writeHtml,
  escape: escapeHtml,
};

function writeHtml(style: Style): Markup | undefined {
  switch (style.kind) {
    case 'strong':
    case 'heading':
      return { open: '<b>', close: '</b>' };
    case 'emphasis':
      return { open: '<i>', close: '</i>' };
    case 'strike':
      return { open: '<s>', close: '</s>' };
    case 'code':
      return { open: '<code>', close: '</code>' };
    case 'fence':
      return style.language
        ? { open: `<pre><code class="language-${escapeHtml(style.language)}">`, close: '</code></pre>' }
        : { open: '<pre>', close: '</pre>' };
    case 'quote':
      // Inside another it is refused; markup that is open already is not opened again.
      return { open: '<blockquote>', close: '</blockquote>' };
    case 'link':
      if (style.bare) return undefined;
      return { open: `<a href="${escapeHtml(style.url)}">`, close: '</a>' };
    default:
      return undefined;
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Enough for Telegram's text and for its double-quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
