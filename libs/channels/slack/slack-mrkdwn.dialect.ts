import type { Dialect, Markup, Part, Style } from '../markdown/dialect.js';
import { fencedText } from '../markdown/fenced-text.js';
import { escapeSlack } from './slack-blocks.js';

/** Takes no room, and Slack begins and ends bold beside it, also inside of a word and between Chinese signs. */
const ZERO_WIDTH_SPACE = '\u200b';
/** Takes no room, and keeps a delimiter that somebody wrote from standing beside the other one. */
const WORD_JOINER = '\u2060';

/**
 * Slack's own notation (https://docs.slack.dev/messaging/formatting-message-text). One person is mentioned by `<@U0EXAMPLE>`;
 * whatever else is in angle brackets, `<!channel>` and `<!here>` above all, is shown as it is. Slack has no way to write a
 * bare `*`, `_` or `~`: two of them at the edges of words may still be taken for markup.
 */
export const slackMrkdwn: Dialect = {
  counted: 'body',
  unit: 'utf16',
  bullet: '• ',
  tables: 'monospace',
  perLine: true,
  opens: (url) => /^(?:https?:\/\/|mailto:|tel:)./i.test(url),
  write: writeMrkdwn,
  escape(text, { lineStart, within }) {
    const escaped = escapeSlack(text);
    if (within.some(({ kind }) => kind === 'fence')) return fencedText(escaped);
    if (within.some((style) => isCode(style, text))) return escaped;
    const apart = escaped.replace(/[*_~`]+/g, (run, at: number) => (isInside(escaped, at, run.length) ? run : joined(run)));
    const isLink = within.some(({ kind }) => kind === 'link');
    const mentioned = isLink ? apart : apart.replace(/&lt;@([UW][A-Z0-9]{2,})&gt;/g, '<@$1>');
    // Escaped or not, Slack takes it for a quote.
    return lineStart && /^\s*&gt;/.test(mentioned) ? ZERO_WIDTH_SPACE + mentioned : mentioned;
  },
};

function writeMrkdwn(style: Style, { text }: Part): Markup | undefined {
  switch (style.kind) {
    case 'strong':
    case 'heading':
      return around('*');
    case 'emphasis':
      return around('_');
    case 'strike':
      return around('~');
    case 'code':
      return isCode(style, text) ? around('`') : undefined;
    case 'fence':
      return { open: '```\n', close: '\n```' };
    case 'quote':
      return { open: '', close: '', linePrefix: '> ' };
    case 'link':
      return style.bare ? undefined : { open: `<${addressOf(style.url)}|`, close: '>' };
    default:
      return undefined;
  }
}

/** A backtick inside would end it: then it is text. */
function isCode(style: Style, text: string): boolean {
  return style.kind === 'code' && !text.includes('`');
}

function around(delimiter: string): Markup {
  return { open: ZERO_WIDTH_SPACE + delimiter, close: delimiter + ZERO_WIDTH_SPACE };
}

const joined = (run: string) => WORD_JOINER + run + WORD_JOINER;

/** Between letters Slack leaves a delimiter alone: `snake_case` stays what it is. */
function isInside(text: string, at: number, length: number): boolean {
  return /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}]/u.test(text.slice(at + length));
}

function addressOf(url: string): string {
  return escapeSlack(url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
