import type { Dialect, RenderedChunk } from './dialect.js';
import { StyledText, type TextRange } from './styled-text.js';
import { TextBreaks } from './text-breaks.js';
import { isVisible, lengthIn } from './text-length.js';
import { writeRange } from './write-range.js';

/** Cuts a styled text into chunks that fit; see renderMarkdown for what is kept together. */
export function cutChunks(styled: StyledText, dialect: Dialect, maxLength: number): RenderedChunk[] {
  const chunks = new ChunkCutter(styled, dialect, maxLength).cut();
  const visible = chunks.filter(({ text }) => isVisible(text));
  return visible.length > 0 ? visible : chunks.slice(0, 1);
}

class ChunkCutter {
  private readonly breaks: TextBreaks;
  private readonly plain = new StyledText();
  /** UTF-16 units that may fit into one chunk, whatever the unit. */
  private readonly reach: number;

  constructor(
    private readonly styled: StyledText,
    private readonly dialect: Dialect,
    private readonly maxLength: number,
  ) {
    this.plain.append(styled.text);
    const bare = styled.spans.filter(({ style }) => style.kind === 'link' && style.bare);
    this.breaks = new TextBreaks(styled.text, bare);
    this.reach = dialect.unit === 'characters' ? 2 * maxLength : maxLength;
  }

  cut(): RenderedChunk[] {
    const { text } = this.styled;
    const chunks: RenderedChunk[] = [];
    for (let start = 0; start < text.length || chunks.length === 0;) {
      const chunk = this.next(start);
      chunks.push(chunk.rendered);
      start = chunk.end + separatorAt(text, chunk.end);
    }
    return chunks;
  }

  private next(start: number): { rendered: RenderedChunk; end: number } {
    const furthest = this.furthest(start, this.styled);
    if (furthest > start) {
      const ends = furthest === this.styled.text.length ? [furthest] : this.breaks.endsFor(start, furthest);
      for (const end of ends) {
        const rendered = this.render({ start, end }, this.styled);
        if (this.fits(rendered)) return { rendered, end };
      }
    }
    return this.unformatted(start);
  }

  /** The last place up to which everything fits into one chunk; `start` where not even one sign does. */
  private furthest(start: number, styled: StyledText): number {
    const fitsTo = (end: number) => end === start || this.fits(this.render({ start, end }, styled));
    const most = this.breaks.boundaryAt(start + this.reach);
    if (fitsTo(most)) return most;
    let [low, high] = [start, most];
    for (;;) {
      const middle = this.breaks.boundaryAt((low + high) >> 1);
      const end = middle > low ? middle : this.breaks.boundaryAfter(low);
      if (end >= high) return low;
      if (fitsTo(end)) low = end;
      else high = end;
    }
  }

  /** For what no markup fits around, and for a sign that is too long by itself: its parts, a code point at least. */
  private unformatted(start: number): { rendered: RenderedChunk; end: number } {
    const furthest = this.furthest(start, this.plain);
    if (furthest > start) return { rendered: this.render({ start, end: furthest }, this.plain), end: furthest };
    const { text } = this.styled;
    let end = start;
    for (const point of text.slice(start, this.breaks.boundaryAfter(start))) {
      if (end > start && !this.fits(this.render({ start, end: end + point.length }, this.plain))) break;
      end += point.length;
    }
    return { rendered: this.render({ start, end }, this.plain), end };
  }

  private render({ start, end }: TextRange, styled: StyledText): RenderedChunk {
    const text = styled.text.slice(start, end).trimEnd();
    return { text, body: writeRange(styled, { start, end: start + text.length }, this.dialect) };
  }

  private fits({ text, body }: RenderedChunk): boolean {
    return lengthIn(this.dialect.unit, this.dialect.counted === 'text' ? text : body) <= this.maxLength;
  }
}

/** Line breaks at a cut belong to neither side, nor does one blank; the indent of the next line does. */
function separatorAt(text: string, from: number): number {
  return /^(?:[^\S\n]*\n)+|^\s?/.exec(text.slice(from))?.[0].length ?? 0;
}
