import { cutChunks } from './cut-chunks.js';
import type { Dialect, Part, RenderedChunk, Style } from './dialect.js';
import { parseMarkdown, type MarkdownNode } from './parse-markdown.js';
import { StyledText } from './styled-text.js';

/**
 * Markdown as it was written, for readers that format it themselves (the web chat, webhooks). Where it is cut, a code
 * block is closed and opened again with its language, and the rest of a table begins with its head.
 * @param maxLength UTF-16 units, at least 32
 */
export function renderSource(markdown: string, maxLength: number): RenderedChunk[] {
  const source = new StyledText();
  source.append(markdown);
  const reopening = markdown.length > maxLength ? markReopened(source, maxLength) : new Map();
  return cutChunks(source, sourceDialect(reopening), maxLength).map(({ body }) => ({ text: body, body }));
}

/** What a part writes that begins, or ends, where there was a cut. */
interface Reopening {
  open: string;
  close: string;
}

function markReopened(source: StyledText, maxLength: number): Map<Style, Reopening> {
  const reopening = new Map<Style, Reopening>();
  for (const { root, start: offset } of parseMarkdown(source.text)) {
    for (const node of root?.children ?? []) {
      const [start, end] = [node.position?.start.offset, node.position?.end.offset];
      if (start === undefined || end === undefined) continue;
      const reopened = reopeningOf(node, source.text.slice(offset + start, offset + end));
      if (!reopened || reopened.open.length > maxLength / 4) continue;
      const style: Style = { kind: 'literal' };
      reopening.set(style, reopened);
      source.spans.push({ start: offset + start, end: offset + end, style });
    }
  }
  return reopening;
}

function reopeningOf({ type }: MarkdownNode, written: string): Reopening | undefined {
  if (type === 'table') return { open: `${written.split('\n', 2).join('\n')}\n`, close: '' };
  const [line, fence] = (type === 'code' && /^(`{3,}|~{3,}).*/.exec(written)) || [];
  return line === undefined ? undefined : { open: `${line}\n`, close: `\n${fence}` };
}

const sourceDialect = (reopening: ReadonlyMap<Style, Reopening>): Dialect => ({
  counted: 'body',
  unit: 'utf16',
  bullet: '',
  tables: 'lines',
  perLine: false,
  opens: () => true,
  escape: (text) => text,
  write: (style, { resumed, continued }: Part) => {
    const { open = '', close = '' } = reopening.get(style) ?? {};
    return { open: resumed ? open : '', close: continued ? close : '' };
  },
});
