import type { TextRange } from './styled-text.js';

/** Where to cut, best first: between blocks, lines, sentences, words. The match stays in front of the cut, blanks are trimmed there. */
const LEVELS = [/\n\n+/g, /\n/g, /[.!?…]["')\]]?\s+|[。！？；]/g, /\s+/g];
/** Never cut where it can be helped: mentions, tags, addresses. */
const ATOMS = /(?:https?:\/\/|www\.|mailto:)[^\s<>]+|[@#][\p{L}\p{N}_.-]+|<[@#!:][^>\s]{1,80}>/gu;
/** How far back from a cut the begin of an atom is looked for; longer ones may be cut. */
const MAX_ATOM = 512;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The places at which a text may be cut: never inside what is seen as one sign (an emoji of several, a letter and its marks). */
export class TextBreaks {
  private readonly graphemes;

  constructor(
    private readonly text: string,
    /** What belongs together besides: the text of bare links. */
    private readonly atoms: readonly TextRange[],
  ) {
    this.graphemes = segmenter.segment(text);
  }

  /** The last boundary between two signs at or before `index`. */
  boundaryAt(index: number): number {
    return index >= this.text.length ? this.text.length : (this.graphemes.containing(index)?.index ?? index);
  }

  /** The first boundary behind `index`. */
  boundaryAfter(index: number): number {
    const sign = this.graphemes.containing(index);
    return sign ? sign.index + sign.segment.length : this.text.length;
  }

  /** Ends for a piece that begins at `start` and can reach to `limit`, a boundary, best first; the last is `limit`. */
  endsFor(start: number, limit: number): number[] {
    const half = start + Math.ceil((limit - start) / 2);
    const part = this.text.slice(half, limit + 1);
    const ends: number[] = [];
    for (const level of LEVELS) {
      const found = [...part.matchAll(level)].map((match) => this.boundaryAt(half + match.index + match[0].trimEnd().length));
      const last = found.findLast((end) => end <= limit);
      if (last !== undefined && last > start) ends.push(last);
    }
    const apart = this.outsideAtom(start, limit);
    if (apart > start) ends.push(apart);
    return [...ends, limit];
  }

  private outsideAtom(start: number, index: number): number {
    const from = Math.max(start, index - MAX_ATOM);
    for (const match of this.text.slice(from, index + MAX_ATOM).matchAll(ATOMS)) {
      const begin = from + match.index;
      if (begin < index && begin + match[0].length > index) return begin;
    }
    return this.atoms.find((atom) => atom.start < index && atom.end > index)?.start ?? index;
  }
}
