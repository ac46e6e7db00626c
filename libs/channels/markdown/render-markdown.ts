import { cutChunks } from './cut-chunks.js';
import type { Dialect, RenderedChunk } from './dialect.js';
import { readMarkdown } from './read-markdown.js';

/**
 * Markdown as the messages of one platform, in order: each at most `maxLength` (as the dialect counts; at least 32), well
 * formed by itself, cut between blocks, lines, sentences or words where one is near, never inside a sign, a mention or
 * an address that fits. Code blocks, quotes and styles that a cut goes through are closed and opened again. Nothing but
 * blanks is lost. At least one chunk, and none without anything to see, unless there is nothing in the whole.
 */
export function renderMarkdown(markdown: string, dialect: Dialect, maxLength: number): RenderedChunk[] {
  const styled = readMarkdown(markdown, dialect, { maxUrl: Math.floor(maxLength / 4) });
  return cutChunks(styled, dialect, maxLength);
}
