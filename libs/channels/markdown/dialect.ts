/** How a platform counts: UTF-16 units, UTF-8 bytes or code points. */
export type LengthUnit = 'utf16' | 'bytes' | 'characters';

/** What Markdown says about a range of the text, whatever the platform writes for it. */
export type Style =
  | { kind: 'strong' | 'emphasis' | 'strike' | 'code' }
  | { kind: 'heading'; depth: number }
  /** `bare`: the text is the address itself, and most platforms make a link of it without being told. */
  | { kind: 'link'; url: string; bare: boolean }
  /** A block of code, on lines of its own. */
  | { kind: 'fence'; language: string | undefined }
  | { kind: 'quote' }
  /** The mark of a list item: never escaped. */
  | { kind: 'literal' };

/** What a dialect writes around a range. */
export interface Markup {
  open: string;
  close: string;
  /** Written at the begin of each line of the range. */
  linePrefix?: string;
  /**
   * What must stand between a delimiter and the character outside of it (`''`: begin or end of the message), e.g. an
   * invisible one where the platform knows no bold inside a word. Default: nothing.
   */
  joint?(outside: string): string;
}

/** What of a styled range is in one chunk. */
export interface Part {
  text: string;
  /** Its begin is in the chunk before. */
  resumed: boolean;
  /** Its end is in the chunk after. */
  continued: boolean;
}

/** Where a piece of text stands. It holds no line break. */
export interface Place {
  /** Nothing but blanks and list marks stand before it on its line. */
  lineStart: boolean;
  /** The styles it is in, outermost first. */
  within: readonly Style[];
}

/**
 * How one platform writes formatted text. Everything a stranger or a model wrote reaches the platform through `escape`:
 * what must not act there (mass mentions, commands, tags) is disarmed in that one place.
 */
export interface Dialect {
  /** What the platform's limit is held against: the text it shows, or the body that is sent. */
  readonly counted: 'text' | 'body';
  readonly unit: LengthUnit;
  /** The mark of an item of an unordered list, with its blank. */
  readonly bullet: string;
  /** `monospace`: aligned, in a fence, where it is narrow and holds no links. `lines`: one line a row. */
  readonly tables: 'monospace' | 'lines';
  /** Bold, italic, code and the like end with their line. */
  readonly perLine: boolean;
  /** Whether a label can stand for this address. Other addresses are written out behind their label. */
  opens(url: string): boolean;
  /** The markup for a style around a part of the text; undefined where the platform has none. */
  write(style: Style, part: Part): Markup | undefined;
  /** The text as it must be sent so that the platform shows it as it is. May add invisible characters, never take any away. */
  escape(text: string, place: Place): string;
}

/** One platform message of a longer text. */
export interface RenderedChunk {
  /** Without any markup: for logs, and for a platform that refuses the body. */
  text: string;
  /** In the dialect. Well formed by itself. */
  body: string;
}
