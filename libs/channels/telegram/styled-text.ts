import type { TextRange } from '../text-cut.js';

/** A pair of tags over a range of the text. Spans nest properly: a later one lies inside an earlier one or after it. */
interface Span extends TextRange {
  open: string;
  close: string;
}

/**
 * Plain text and the formatting over it, kept apart: the text is what Telegram counts, and any range of it can be
 * written as HTML that is well formed by itself, so a cut in the middle of a code block closes and opens it again.
 */
export class StyledText {
  text = '';
  private readonly spans: Span[] = [];
  private indent = '';

  append(text: string): void {
    this.text += this.indent === '' ? text : text.replaceAll('\n', `\n${this.indent}`);
  }

  /** Formats whatever `body` appends. */
  wrap(open: string, close: string, body: () => void): void {
    const span = { start: this.text.length, end: 0, open, close };
    this.spans.push(span);
    body();
    span.end = this.text.length;
  }

  /** Indents the lines that `body` begins. */
  indented(by: string, body: () => void): void {
    const outer = this.indent;
    this.indent += by;
    body();
    this.indent = outer;
  }

  html(range: TextRange): string {
    let html = '';
    let at = range.start;
    const open: Span[] = [];
    const writeTo = (end: number) => {
      html += escapeHtml(this.text.slice(at, end));
      at = Math.max(at, end);
    };
    const closeUpTo = (position: number) => {
      for (let last = open.at(-1); last && last.end <= position; last = open.at(-1)) {
        writeTo(last.end);
        html += last.close;
        open.pop();
      }
    };
    for (const span of this.spans) {
      const start = Math.max(span.start, range.start);
      const end = Math.min(span.end, range.end);
      if (start >= end) continue;
      closeUpTo(start);
      writeTo(start);
      html += span.open;
      open.push({ ...span, end });
    }
    closeUpTo(range.end);
    writeTo(range.end);
    return html;
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Enough for Telegram's text and for its double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}
