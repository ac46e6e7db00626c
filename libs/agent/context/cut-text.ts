import { isLonger, unitTokens } from './token-estimate.js';

/** Room for the longest marker below. */
export const MARKER_TOKENS = 32;
/** Of what is shown of a text whose end matters. */
const TAIL_SHARE = 0.3;
/** A line break this near to the cut is a better place for it. */
const NEAR = 0.2;
const LOOKED_AT = 2000;

/** Endings that say how it went: errors, summaries, exit codes; in the languages our users' tools speak. */
const TELLING =
  /error|exception|traceback|panic|fatal|fail(?:ed|ure)|exit (?:code|status)|summary|total|result|conclusion|错误|失败|异常|总计|摘要|结论|エラー|失敗|合計|오류|실패/i;
const JSON_END = /[\]}]\s*$/;

/**
 * Shortens a text to `maxTokens` (at least MARKER_TOKENS). What is left out is marked with the whole size and the offset
 * to read on from, in UTF-16 units. The end is kept beside the beginning when it tells how things went, or on request.
 */
export function cutText(text: string, maxTokens: number, keepEnd = isTelling(text)): string {
  if (!isLonger(text, maxTokens)) return text;
  const room = Math.max(0, maxTokens - MARKER_TOKENS);
  const end = headEnd(text, keepEnd ? room * (1 - TAIL_SHARE) : room);
  if (!keepEnd) return `${text.slice(0, end)}\n[Cut: the first ${end} of ${text.length} characters. Read on from offset ${end}.]`;
  const start = Math.max(end, tailStart(text, room * TAIL_SHARE));
  const marker = `[Characters ${end} to ${start} of ${text.length} are left out. Read on from offset ${end}.]`;
  return `${text.slice(0, end)}\n${marker}\n${text.slice(start)}`;
}

function isTelling(text: string): boolean {
  return JSON_END.test(text.slice(-LOOKED_AT)) || TELLING.test(text.slice(-LOOKED_AT));
}

function headEnd(text: string, tokens: number): number {
  let end = 0;
  for (let used = 0; end < text.length; end += 1) {
    used += unitTokens(text.charCodeAt(end));
    if (used > tokens) break;
  }
  const line = text.lastIndexOf('\n', end - 1) + 1;
  if (end > 0 && line > end * (1 - NEAR)) return line;
  return splitsPair(text, end) ? end - 1 : end;
}

function tailStart(text: string, tokens: number): number {
  let start = text.length;
  for (let used = 0; start > 0; start -= 1) {
    used += unitTokens(text.charCodeAt(start - 1));
    if (used > tokens) break;
  }
  const line = text.indexOf('\n', start) + 1;
  if (line > 0 && line - start < (text.length - start) * NEAR) return line;
  return splitsPair(text, start) ? start + 1 : start;
}

function splitsPair(text: string, index: number): boolean {
  return (
    /^[\uDC00-\uDFFF]/.test(text.slice(index, index + 1)) && /[\uD800-\uDBFF]$/.test(text.slice(Math.max(0, index - 1), index))
  );
}
