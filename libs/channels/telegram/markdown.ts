import { fromMarkdown } from 'mdast-util-from-markdown';
import { escapeHtml, StyledText } from './styled-text.js';

type Root = ReturnType<typeof fromMarkdown>;
type MarkdownNode = Root | Root['children'][number];
type Definitions = ReadonlyMap<string, string>;

/**
 * Longer texts go out unformatted: some inputs take the parser quadratic time (32 K of `*a*a...` about 2 s), and a
 * render must stay far below the lane's lock.
 */
const MAX_PARSED = 32_768;
/** Deeper nesting is written as its source. */
const MAX_DEPTH = 40;

/** Reads what models write (CommonMark) into what Telegram can show. No word is lost: what has no style stays text. */
export function styleMarkdown(markdown: string): StyledText {
  const source = markdown.toWellFormed();
  const styled = new StyledText();
  if (source.length <= MAX_PARSED) new TelegramWriter(styled, source).write(fromMarkdown(source));
  if (styled.text.trim() !== '') return styled;
  const literal = new StyledText();
  literal.append(source);
  return literal;
}

/** Walks the tree once, in order, so that spans come out nested. */
class TelegramWriter {
  private definitions: Definitions = new Map();
  private depth = 0;
  private inQuote = false;

  constructor(
    private readonly out: StyledText,
    private readonly source: string,
  ) {}

  write(root: Root): void {
    this.definitions = definitionsOf(root);
    this.blocks(root.children, '\n\n');
  }

  private blocks(nodes: readonly MarkdownNode[], separator: string): void {
    nodes.forEach((node, index) => {
      if (index > 0) this.out.append(separator);
      this.node(node);
    });
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
      case 'html':
        return this.out.append(node.value);
      case 'break':
        return this.out.append('\n');
      case 'thematicBreak':
        return this.out.append('———');
      case 'heading':
      case 'strong':
        return this.out.wrap('<b>', '</b>', () => this.blocks(node.children, ''));
      case 'emphasis':
        return this.out.wrap('<i>', '</i>', () => this.blocks(node.children, ''));
      case 'inlineCode':
        return this.out.wrap('<code>', '</code>', () => this.out.append(node.value));
      case 'code':
        return this.code(node.value, node.lang);
      case 'blockquote':
        return this.quote(node.children);
      case 'list':
        return this.list(node);
      case 'listItem':
        return this.blocks(node.children, '\n');
      case 'link':
        return this.link(node.url, () => this.blocks(node.children, ''));
      case 'linkReference':
        return this.link(this.definitions.get(node.identifier) ?? '', () => this.blocks(node.children, ''));
      case 'image':
        return this.link(node.url, () => this.out.append(node.alt ?? ''));
      case 'imageReference':
        return this.link(this.definitions.get(node.identifier) ?? '', () => this.out.append(node.alt ?? ''));
      case 'paragraph':
      case 'root':
        return this.blocks(node.children, '');
      default:
        // A definition that a link used already is still shown: hiding it would lose one that nothing uses.
        return this.out.append(this.sourceOf(node));
    }
  }

  private code(value: string, language: string | null | undefined): void {
    const [open, close] = language
      ? [`<pre><code class="language-${escapeHtml(language)}">`, '</code></pre>']
      : ['<pre>', '</pre>'];
    this.out.wrap(open, close, () => this.out.append(value));
  }

  /** Telegram knows no quote inside a quote. */
  private quote(children: readonly MarkdownNode[]): void {
    if (this.inQuote) return this.blocks(children, '\n\n');
    this.inQuote = true;
    this.out.wrap('<blockquote>', '</blockquote>', () => this.blocks(children, '\n\n'));
    this.inQuote = false;
  }

  private list({ children, ordered, start }: Extract<MarkdownNode, { type: 'list' }>): void {
    children.forEach((item, index) => {
      if (index > 0) this.out.append('\n');
      this.out.append(ordered ? `${(start ?? 1) + index}. ` : '• ');
      this.out.indented('  ', () => this.node(item));
    });
  }

  /** Telegram drops a link it cannot open: such an address is written out behind its label. */
  private link(url: string, label: () => void): void {
    const before = this.out.text.length;
    if (OPENABLE.test(url)) this.out.wrap(`<a href="${escapeHtml(url)}">`, '</a>', label);
    else label();
    if (this.out.text.length === before) this.out.append(url);
    else if (!OPENABLE.test(url) && url !== '') this.out.append(` (${url})`);
  }

  private sourceOf({ position }: MarkdownNode): string {
    return this.source.slice(position?.start.offset, position?.end.offset);
  }
}

const OPENABLE = /^(?:https?:\/\/|mailto:|tel:|tg:\/\/)./i;

/** Definitions of the top level: models write them nowhere else. The first of a name wins, as CommonMark says. */
function definitionsOf(root: Root): Definitions {
  const definitions = new Map<string, string>();
  for (const node of root.children) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
  }
  return definitions;
}
