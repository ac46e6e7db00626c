import { alignTable } from './align-table.js';
import type { Dialect } from './dialect.js';
import { parseMarkdown, type MarkdownNode, type MarkdownRoot, type NodeOf } from './parse-markdown.js';
import { StyledText } from './styled-text.js';
import { isVisible } from './text-length.js';

type Definitions = ReadonlyMap<string, string>;

/** Deeper nesting is written as its source. */
const MAX_DEPTH = 40;

/** Blocks that stand at the begin of their lines also in a list: a platform does not see them elsewhere. */
const OUTDENTED: ReadonlySet<string> = new Set(['code', 'blockquote', 'table']);

export interface ReadLimits {
  /** UTF-16 units; longer addresses are text, which can be cut. */
  maxUrl: number;
}

/** Reads what models write (CommonMark and GFM) into text and styles. No word is lost: what has no style stays text. */
export function readMarkdown(markdown: string, dialect: Dialect, limits: ReadLimits): StyledText {
  const source = markdown.toWellFormed().replaceAll(/\r\n?/g, '\n');
  const styled = new StyledText();
  for (const section of parseMarkdown(source)) {
    if (styled.text !== '') styled.append('\n\n');
    if (section.root) new MarkdownReader(styled, section.source, dialect, limits).read(section.root);
    else styled.append(section.source.trimEnd());
  }
  if (isVisible(styled.text)) return styled;
  const literal = new StyledText();
  literal.append(source);
  return literal;
}

/** Walks the tree once, in order, so that spans come out nested. */
class MarkdownReader {
  private definitions: Definitions = new Map();
  private depth = 0;
  private inLink = false;
  private inRow = false;

  constructor(
    private readonly out: StyledText,
    private readonly source: string,
    private readonly dialect: Dialect,
    private readonly limits: ReadLimits,
  ) {}

  read(root: MarkdownRoot): void {
    this.definitions = definitionsOf(root);
    this.blocks(root.children, '\n\n');
  }

  private blocks(nodes: readonly MarkdownNode[], separator: string): void {
    nodes.forEach((node, index) => {
      const separate = () => this.out.append(index > 0 ? separator : '');
      if (OUTDENTED.has(node.type)) this.out.outdented(separate);
      else separate();
      this.node(node);
    });
  }

  private inline(nodes: readonly MarkdownNode[]): void {
    this.blocks(nodes, '');
  }

  private node(node: MarkdownNode): void {
    if (this.depth >= MAX_DEPTH) return this.out.append(this.sourceOf(node));
    this.depth += 1;
    this.styled(node);
    this.depth -= 1;
  }

  private styled(node: MarkdownNode): void {
    switch (node.type) {
      case 'text':
        return this.words(node.value);
      case 'html':
        return this.words(node.value.replace(/^<br\s*\/?>$/i, '\n'));
      case 'break':
        return this.out.append('\n');
      case 'thematicBreak':
        return this.out.append('———');
      case 'heading':
        return this.out.wrap({ kind: 'heading', depth: node.depth }, () => this.inline(node.children));
      case 'strong':
      case 'emphasis':
        return this.out.wrap({ kind: node.type }, () => this.inline(node.children));
      case 'delete':
        return this.out.wrap({ kind: 'strike' }, () => this.inline(node.children));
      case 'inlineCode':
        // "Line endings are converted to spaces", https://spec.commonmark.org/0.31.2/#code-spans
        return this.out.wrap({ kind: 'code' }, () => this.words(node.value.replaceAll('\n', ' ')));
      case 'code':
        return this.onLinesOfItsOwn(() => this.fence(node.value, node.lang ?? undefined));
      case 'blockquote':
        return this.onLinesOfItsOwn(() => this.out.wrap({ kind: 'quote' }, () => this.blocks(node.children, '\n\n')));
      case 'list':
        return this.list(node);
      case 'link':
        return this.link(node.url, () => this.inline(node.children));
      case 'linkReference':
        return this.link(this.definitions.get(node.identifier) ?? '', () => this.inline(node.children));
      case 'image':
        return this.link(node.url, () => this.words(node.alt ?? ''));
      case 'imageReference':
        return this.link(this.definitions.get(node.identifier) ?? '', () => this.words(node.alt ?? ''));
      case 'table':
        return this.onLinesOfItsOwn(() => this.table(node));
      case 'paragraph':
      case 'root':
        return this.inline(node.children);
      default:
        // A definition that a link used already is still shown: hiding it would lose one that nothing uses.
        return this.out.append(this.sourceOf(node));
    }
  }

  /** A row of a table is one line, also where a character reference says something else. */
  private words(text: string): void {
    this.out.append(this.inRow ? text.replaceAll(/\s*\n\s*/g, ' ') : text);
  }

  /** Behind the mark of a list item, or its indent, it would not be recognised. */
  private onLinesOfItsOwn(write: () => void): void {
    const line = this.out.text.slice(this.out.text.lastIndexOf('\n') + 1);
    this.out.outdented(() => {
      if (line !== '') this.out.append('\n');
      write();
    });
  }

  private fence(value: string, language: string | undefined): void {
    this.out.wrap({ kind: 'fence', language }, () => this.out.append(value));
  }

  private list({ children, ordered, start }: NodeOf<'list'>): void {
    children.forEach((item, index) => {
      if (index > 0) this.out.append('\n');
      const mark = ordered ? `${(start ?? 1) + index}. ` : this.dialect.bullet;
      const box = typeof item.checked === 'boolean' ? (item.checked ? '☑ ' : '☐ ') : '';
      this.out.wrap({ kind: 'literal' }, () => this.out.append(mark + box));
      this.out.indented(' '.repeat(mark.length), () => this.blocks(item.children, '\n'));
    });
  }

  /** Links hold no links: of a picture that is one, the words stay. */
  private link(address: string, label: () => void): void {
    if (this.inLink) return label();
    // As browsers write them: with a blank inside, the address would end there on most platforms.
    const url = address.replaceAll(/[\s<>]/g, encodeURIComponent);
    const opens = this.dialect.opens(url) && url.length <= this.limits.maxUrl;
    const style = { kind: 'link' as const, url, bare: false };
    const before = this.out.text.length;
    this.inLink = true;
    if (opens) this.out.wrap(style, label);
    else label();
    this.inLink = false;
    const shown = this.out.text.slice(before);
    style.bare = shown === url || url === `http://${shown}` || url === `mailto:${shown}`;
    if (shown === '') this.out.append(url);
    else if (!opens && !style.bare && url !== '') this.out.append(` (${url})`);
  }

  private table(table: NodeOf<'table'>): void {
    const aligned = this.dialect.tables === 'monospace' ? alignTable(table) : undefined;
    if (aligned !== undefined) return this.fence(aligned, undefined);
    this.inRow = true;
    table.children.forEach((row, index) => {
      if (index > 0) this.out.append('\n');
      this.row(row, index === 0);
    });
    this.inRow = false;
  }

  private row({ children }: NodeOf<'tableRow'>, head: boolean): void {
    children.forEach((cell, index) => {
      if (index > 0) this.out.append(' | ');
      if (head) this.out.wrap({ kind: 'strong' }, () => this.inline(cell.children));
      else this.inline(cell.children);
    });
  }

  private sourceOf({ position }: MarkdownNode): string {
    return this.source.slice(position?.start.offset, position?.end.offset);
  }
}

/** Definitions of the top level: models write them nowhere else. The first of a name wins, as CommonMark says. */
function definitionsOf(root: MarkdownRoot): Definitions {
  const definitions = new Map<string, string>();
  for (const node of root.children) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
  }
  return definitions;
}
