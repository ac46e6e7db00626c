import { describeError } from './errors.js';

/** So many letters and digits in a row are a quotation; fewer are words that anybody may use. */
const QUOTE = 12;
/** A whole text shorter than this is a word. */
const SHORTEST_TEXT = 4;
/** What the other side says beyond this says nothing new. */
const LONGEST = 1000;
const CUT = '…';

const NO_LETTERS = /[^\p{L}\p{N}]+/gu;
/** One character as it stands there; or an escape of JSON, of a URL or of HTML as one. */
const READINGS = [/./gsu, /\\u[0-9a-f]{4}|\\.|(?:%[0-9a-f]{2})+|&(?:#\d+|#x[0-9a-f]+|[a-z]+);|./gisu];

/**
 * What another party said, an error of a provider or a platform, without what it quotes of `texts`: its words may be logged, those of
 * people may not. Quotations are found in whichever way they are escaped, cut off or spaced; at most 1,000 characters are kept.
 */
export function withoutQuotes(said: string, texts: readonly string[]): string {
  const kept = said.length > LONGEST ? `${said.slice(0, LONGEST)}${CUT}` : said;
  const written = texts.map((text) => text.toLowerCase().replaceAll(NO_LETTERS, ''));
  const quotes = READINGS.flatMap((reading) => {
    const letters = lettersOf(kept, reading);
    return written.flatMap((text) => quotesIn(letters, text));
  });
  return cutOut(kept, quotes);
}

/**
 * For a log line: what code of others, a plugin's, threw at what it was `given`, without what it quotes of that. The frames of the
 * stack are kept.
 */
export function describeThrown(error: unknown, given: unknown): { error: string; stack?: string } {
  const said = withoutQuotes(describeError(error), stringsIn(given));
  const frames = error instanceof Error ? (error.stack?.match(/^ {4}at .+$/gm) ?? []) : [];
  return frames.length > 0 ? { error: said, stack: frames.join('\n') } : { error: said };
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

interface Place {
  from: number;
  to: number;
}

interface Letter extends Place {
  /** Lower case. */
  letter: string;
}

/** What is neither letter nor digit falls away, and with it every escape of such a character. */
function lettersOf(text: string, reading: RegExp): Letter[] {
  const found: Letter[] = [];
  for (const { 0: piece, index: from } of text.matchAll(reading)) {
    const place = { from, to: from + piece.length };
    for (const letter of unescaped(piece).replaceAll(NO_LETTERS, '')) found.push({ letter: letter.toLowerCase(), ...place });
  }
  return found;
}

function unescaped(piece: string): string {
  if (piece.length === 1) return piece;
  if (/^\\u/i.test(piece)) return String.fromCharCode(Number.parseInt(piece.slice(2), 16));
  if (piece.startsWith('%')) return decoded(piece);
  return /^[\\&]/.test(piece) ? '' : piece;
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return '';
  }
}

/** Where a run of `letters` stands that the text has too. */
function quotesIn(letters: readonly Letter[], text: string): Place[] {
  const length = Math.min(QUOTE, text.length);
  if (length < SHORTEST_TEXT) return [];
  return letters.flatMap(({ from }, at) => {
    const run = letters.slice(at, at + length);
    const isQuote = run.length === length && text.includes(run.map(({ letter }) => letter).join(''));
    return isQuote ? { from, to: run.at(-1)?.to ?? from } : [];
  });
}

/** Runs that overlap are one quotation. */
function cutOut(said: string, quotes: readonly Place[]): string {
  let out = '';
  let end = 0;
  for (const { from, to } of quotes.toSorted((one, other) => one.from - other.from)) {
    if (from >= end) out += said.slice(end, from) + CUT;
    end = Math.max(end, to);
  }
  return out + said.slice(end);
}
