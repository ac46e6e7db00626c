import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type MarkdownRoot = ReturnType<typeof fromMarkdown>;
export type MarkdownNode = MarkdownRoot | MarkdownRoot['children'][number];
export type NodeOf<T extends MarkdownNode['type']> = Extract<MarkdownNode, { type: T }>;

/** UTF-16 units that are parsed at once: the parser needs quadratic time for some inputs, and a render must stay far below the lane's lock. */
const MAX_PARSED = 32_768;
/** Signs that may begin or end something, in one paragraph: 16,000 of them take seconds. */
const MAX_SIGNS = 3_000;

const extensions = [gfm()];
// Without the second search for addresses in the tree: it recurses without a bound. The first one finds what GitHub finds.
const mdastExtensions = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** A run of whole blocks. */
export interface Section {
  source: string;
  /** Where it begins in the whole. */
  start: number;
  /** undefined: it can't be read in time, and is shown as it is. */
  root: MarkdownRoot | undefined;
}

/** CommonMark and GFM as trees: one, or for a very long text several, cut between blocks. */
export function parseMarkdown(markdown: string): Section[] {
  let start = 0;
  return sectionsOf(markdown).map((source) => {
    const section = { source, start, root: parsed(source) };
    start += source.length;
    return section;
  });
}

function parsed(source: string): MarkdownRoot | undefined {
  if (source.length > MAX_PARSED) return undefined;
  const prose = source.replaceAll(/^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1/gm, '\n\n');
  const crowded = prose.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_~`[\]!>]/g)?.length ?? 0) > MAX_SIGNS);
  return crowded ? undefined : fromMarkdown(source, { extensions, mdastExtensions });
}

/** Cut at blank lines outside of code blocks, as late as they fit. */
function sectionsOf(markdown: string): string[] {
  if (markdown.length <= MAX_PARSED) return [markdown];
  const sections: string[] = [];
  let start = 0;
  let cut = 0;
  let fence: string | undefined;
  for (const { 0: line, index } of markdown.matchAll(/.*(?:\n|$)/g)) {
    const end = index + line.length;
    if (end - start > MAX_PARSED && cut > start) {
      sections.push(markdown.slice(start, cut));
      start = cut;
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) fence = fence === undefined ? mark : undefined;
    if (fence === undefined && line.trim() === '') cut = end;
  }
  return [...sections, markdown.slice(start)];
}
