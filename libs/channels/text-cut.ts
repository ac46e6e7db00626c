/** Where to cut, best first. The separator of a cut belongs to neither side, except the full stop, which stays. */
const BREAKS = [
  { at: '\n\n', kept: 0 },
  { at: '\n', kept: 0 },
  { at: '。', kept: 1 },
  { at: ' ', kept: 0 },
] as const;

/** `[start, end)` in UTF-16 units. */
export interface TextRange {
  start: number;
  end: number;
}

/**
 * Cuts `text` into pieces of at most `limit` UTF-16 units (`limit` > 1): between blocks, else lines, else sentences,
 * else words, as long as a piece stays at least half full; else anywhere but inside a surrogate pair. Blank pieces are
 * dropped, since platforms refuse them; at least one piece always remains.
 */
export function cutText(text: string, limit: number): TextRange[] {
  const pieces: TextRange[] = [];
  let start = 0;
  while (text.length - start > limit) {
    const { end, next } = nextCut(text, start, limit);
    pieces.push({ start, end });
    start = next;
  }
  pieces.push({ start, end: text.length });
  const visible = pieces.filter((piece) => text.slice(piece.start, piece.end).trim() !== '');
  return visible.length > 0 ? visible : pieces.slice(0, 1);
}

function nextCut(text: string, start: number, limit: number): { end: number; next: number } {
  for (const { at, kept } of BREAKS) {
    const found = text.lastIndexOf(at, start + limit - kept);
    if (found >= start + limit / 2) return { end: found + kept, next: found + at.length };
  }
  const end = start + limit - (splitsPair(text, start + limit) ? 1 : 0);
  return { end, next: end };
}

function splitsPair(text: string, index: number): boolean {
  return isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff);
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last;
}
