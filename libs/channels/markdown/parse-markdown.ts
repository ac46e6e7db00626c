import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export type MarkdownRoot = ReturnType<typeof fromMarkdown>;
export type MarkdownNode = MarkdownRoot | MarkdownRoot['children'][number];
export type NodeOf<T extends MarkdownNode['type']> = Extract<MarkdownNode, { type: T }>;

/** UTF-16 units. Longer texts are shown as they are: a render must stay far below the lane's lock. */
const MAX_PARSED = 32_768;
/** Signs that may begin or end something, in one paragraph: the parser needs quadratic time for them (16,000 take seconds). */
const MAX_SIGNS = 3_000;

const extensions = [gfm()];
// Without the second search for addresses in the tree: it recurses without a bound. The first one finds what GitHub finds.
const mdastExtensions = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** CommonMark and GFM as a tree; undefined where the text can't be read in time. */
export function parseMarkdown(source: string): MarkdownRoot | undefined {
  if (source.length > MAX_PARSED) return undefined;
  const prose = source.replaceAll(/^ {0,3}(`{3,}|~{3,})[^]*?^ {0,3}\1/gm, '\n\n');
  const crowded = prose.split(/\n\s*\n/).some((paragraph) => (paragraph.match(/[*_~`[\]!]/g)?.length ?? 0) > MAX_SIGNS);
  return crowded ? undefined : fromMarkdown(source, { extensions, mdastExtensions });
}
