import type { MarkdownNode, NodeOf } from './parse-markdown.js';

/** Columns of a fixed-width font that a telephone shows without breaking the line. */
const MAX_COLUMNS = 44;

/**
 * A table in aligned columns, for a block of fixed width; undefined where it is too wide for one, or holds links, which
 * would be lost.
 */
export function alignTable(table: NodeOf<'table'>): string | undefined {
  if (holdsLink(table)) return undefined;
  const [head = [], ...rows] = table.children.map((row) => row.children.map(plainText));
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => widthOf(row[column] ?? ''))));
  if (widths.reduce((sum, width) => sum + width + 3, -3) > MAX_COLUMNS) return undefined;
  const lines = [head, widths.map((width) => '─'.repeat(width)), ...rows].map((row) => lineOf(row, widths, table.align ?? []));
  return lines.join('\n');
}

/** What is read when all formatting is taken away, on one line. */
function plainText(node: MarkdownNode): string {
  if ('children' in node) return node.children.map(plainText).join('');
  const text = 'value' in node ? node.value : 'alt' in node ? (node.alt ?? '') : '';
  return node.type === 'html' && /^<br\s*\/?>$/i.test(text) ? ' ' : text.replaceAll(/\s*\n\s*/g, ' ');
}

function holdsLink(node: MarkdownNode): boolean {
  if (/^(?:link|image)/.test(node.type)) return true;
  return 'children' in node && node.children.some(holdsLink);
}

function lineOf(row: readonly string[], widths: readonly number[], align: readonly (string | null)[]): string {
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? '';
    const gap = width - widthOf(cell);
    const left = align[column] === 'right' ? gap : align[column] === 'center' ? Math.floor(gap / 2) : 0;
    return ' '.repeat(left) + cell + ' '.repeat(gap - left);
  });
  return cells.join(' │ ').trimEnd();
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts whose signs take two columns, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
