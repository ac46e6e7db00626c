const MOST_LENGTH = 200;

/**
 * Whether a regular expression of the configuration may be run over what strangers write: it compiles, and its structure bounds
 * its steps on a text of a thousand characters. At most one `*`, `+` or `{n,m}`, on a single character or class and never inside
 * a repeated group; few alternatives and `?`, of which each may double the work; nothing that looks around or back.
 */
export function isBoundedPattern(pattern: string): boolean {
  if (pattern.length > MOST_LENGTH || !compiles(pattern)) return false;
  const escapes = pattern.match(/\\./gsu) ?? [];
  if (escapes.some((escape) => /\\[1-9k]/u.test(escape))) return false;
  // Every escape and class is one character as far as steps go; a repetition that gives up early is still one.
  const shape = pattern
    .replace(/\\(?:[pPu]\{[^}]*\}|.)/gsu, 'a')
    .replace(/\[[^\]]*\]/gu, 'a')
    .replaceAll('(?:', '(')
    .replace(/([*+}?])\?/gu, '$1');
  if (/\(\?|\)[*+{]/u.test(shape)) return false;
  const repeats = shape.match(/[*+{]/gu)?.length ?? 0;
  const choices = shape.match(/[?|]/gu)?.length ?? 0;
  return repeats <= 1 && choices <= (repeats === 0 ? 10 : 4);
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'iu').source.length > 0;
  } catch {
    return false;
  }
}
