import type { Style } from './dialect.js';

/** `[start, end)` in UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

/** Spans nest properly: a later one lies inside an earlier one or after it. */
export interface Span extends TextRange {
  style: Style;
}

/**
 * Plain text and the styles over it, kept apart, so that any range of the text can be written by itself: a cut in the
 * middle of a code block closes it and opens it again.
 */
export class StyledText {
  text = '';
  readonly spans: Span[] = [];
  private indent = '';

  append(text: string): void {
    this.text += this.indent === '' ? text : text.replaceAll('\n', `\n${this.indent}`);
  }

  /** Styles whatever `body` appends. */
  wrap(style: Style, body: () => void): void {
    const span = { start: this.text.length, end: 0, style };
    this.spans.push(span);
    body();
    span.end = this.text.length;
  }

  /** Indents the lines that `body` begins. */
  indented(by: string, body: () => void): void {
    this.withIndent(this.indent + by, body);
  }

  /** What must stand at the begin of its lines, wherever it is. */
  outdented(body: () => void): void {
    this.withIndent('', body);
  }

  private withIndent(indent: string, body: () => void): void {
    const outer = this.indent;
    this.indent = indent;
    body();
    this.indent = outer;
  }
}
