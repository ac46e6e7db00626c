import type { Dialect, Markup, Part, Style } from './dialect.js';
import type { Span, StyledText, TextRange } from './styled-text.js';

/** A range of a styled text in a dialect: well formed by itself, whatever the range cuts. */
export function writeRange({ text, spans }: StyledText, range: TextRange, dialect: Dialect): string {
  const writer = new RangeWriter(text, range, dialect);
  for (const span of piecesOf(text, spans, range, dialect)) writer.begin(span);
  return writer.end();
}

/** The part of a span that lies in the range, on one line where the dialect wants it so. */
interface Piece extends Span, Omit<Part, 'text'> {}

function piecesOf(text: string, spans: readonly Span[], range: TextRange, dialect: Dialect): Piece[] {
  const pieces: Piece[] = [];
  for (const span of spans) {
    const start = Math.max(span.start, range.start);
    const end = Math.min(span.end, range.end);
    if (start >= end) continue;
    const piece = { ...span, start, end, resumed: span.start < start, continued: span.end > end };
    if (!INLINE.has(span.style.kind)) pieces.push(piece);
    else for (const part of inlineParts(text, piece, dialect.perLine)) pieces.push({ ...piece, ...part });
  }
  // Stable, and a span comes before those in it: the outer one of two that began together goes first.
  return pieces.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Styles of words: the blanks at their ends are left outside, since no dialect takes `** bold **`. */
const INLINE: ReadonlySet<Style['kind']> = new Set(['strong', 'emphasis', 'strike', 'code', 'heading', 'link']);

function inlineParts(text: string, { start, end }: TextRange, perLine: boolean): TextRange[] {
  const parts: TextRange[] = [];
  const visible = perLine ? /\S(?:.*\S)?/g : /\S(?:[^]*\S)?/g;
  for (const { 0: part, index } of text.slice(start, end).matchAll(visible)) {
    parts.push({ start: start + index, end: start + index + part.length });
  }
  return parts;
}

interface OpenPiece extends Piece {
  markup: Markup;
}

class RangeWriter {
  private body = '';
  private at: number;
  private readonly open: OpenPiece[] = [];
  /** Nothing was written on this line, not even the prefix. */
  private fresh = true;
  private lineStart = true;
  /** The delimiter written last wants something between itself and what follows. */
  private pending: Markup['joint'];

  constructor(
    private readonly text: string,
    private readonly range: TextRange,
    private readonly dialect: Dialect,
  ) {
    this.at = range.start;
  }

  begin(piece: Piece): void {
    this.closeUpTo(piece.start);
    this.writeTo(piece.start);
    this.settleJoint();
    const text = this.text.slice(piece.start, piece.end);
    const markup = this.dialect.write(piece.style, { ...piece, text }) ?? { open: '', close: '' };
    // Bold in a bold heading is bold.
    const repeated = markup.open !== '' && this.open.some((outer) => outer.markup.open === markup.open);
    const written = repeated ? { open: '', close: '' } : markup;
    if (written.joint) this.body += written.joint(Array.from(this.body.slice(-2)).at(-1) ?? '');
    this.open.push({ ...piece, markup: written });
    this.put(written.open);
  }

  end(): string {
    this.closeUpTo(this.range.end);
    this.writeTo(this.range.end);
    return this.body;
  }

  private closeUpTo(position: number): void {
    for (let last = this.open.at(-1); last && last.end <= position; last = this.open.at(-1)) {
      this.writeTo(last.end);
      this.put(last.markup.close);
      if (last.markup.close !== '') this.pending = last.markup.joint;
      this.open.pop();
    }
  }

  private writeTo(end: number): void {
    if (end <= this.at) return;
    const within = this.open.map(({ style }) => style);
    const literal = within.at(-1)?.kind === 'literal';
    this.settleJoint();
    this.text
      .slice(this.at, end)
      .split('\n')
      .forEach((line, index) => {
        if (index > 0) this.newline();
        if (line === '') return;
        this.put(literal ? line : this.dialect.escape(line, { lineStart: this.lineStart, within }));
        this.lineStart &&= literal || line.trim() === '';
      });
    this.at = end;
  }

  private settleJoint(): void {
    const next = this.text.codePointAt(this.at);
    if (this.pending && next !== undefined) this.body += this.pending(String.fromCodePoint(next));
    this.pending = undefined;
  }

  /** As it is, behind the prefixes of its line. */
  private put(written: string): void {
    written.split('\n').forEach((line, index) => {
      if (index > 0) this.newline();
      if (line === '') return;
      if (this.fresh) this.body += this.prefix();
      this.fresh = false;
      this.body += line;
    });
  }

  private newline(): void {
    if (this.fresh) this.body += this.prefix().trimEnd();
    this.body += '\n';
    this.fresh = true;
    this.lineStart = true;
  }

  private prefix(): string {
    return this.open.map(({ markup }) => markup.linePrefix ?? '').join('');
  }
}
