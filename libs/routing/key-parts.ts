import { createHash } from 'node:crypto';
import { InvalidInputError } from '#kernel';

/**
 * Keys are parts joined by dots. What is not in [A-Za-z0-9_-] is written as ~hh per UTF-8 byte, an empty part as ~,
 * so a key is safe as a queue name, in a Redis key and in a URL, and two different lists of parts never meet.
 */
const PLAIN = /^[A-Za-z0-9_-]+$/;
const ENCODED = /^(?:~|(?:[A-Za-z0-9_-]|~[0-9a-f]{2})+)$/;
const CUT = /^~~[0-9a-f]{32}$/;

/** Characters of a whole key. */
const MAX_KEY_LENGTH = 200;

/**
 * Joins the parts. Where the key would get too long, parts from `firstCuttable` on (platform ids, which nobody bounds) are
 * replaced by a hash, the longest first. Throws InvalidInputError for broken Unicode and for names that are too long.
 */
export function joinParts(parts: readonly string[], firstCuttable: number): string {
  const encoded = parts.map(encodePart);
  const whole = encoded.join('.');
  if (whole.length <= MAX_KEY_LENGTH) return whole;
  const longestFirst = encoded.map((part, i) => ({ i, length: part.length })).sort((a, b) => b.length - a.length);
  for (const { i } of longestFirst) {
    if (encoded.join('.').length <= MAX_KEY_LENGTH) break;
    const part = parts[i];
    if (i >= firstCuttable && part !== undefined) encoded[i] = cutPart(part);
  }
  const key = encoded.join('.');
  if (key.length > MAX_KEY_LENGTH) {
    throw new InvalidInputError(
      `The names ${parts.slice(0, firstCuttable).join(', ')} are too long together; shorten tenant, agent or account`,
    );
  }
  return key;
}

/** The parts of a key, null for one that was replaced by a hash; undefined when it is no key of ours. */
export function splitParts(key: string): (string | null)[] | undefined {
  const parts: (string | null)[] = [];
  for (const text of key.split('.')) {
    if (CUT.test(text)) parts.push(null);
    else {
      const part = decodePart(text);
      if (part === undefined) return undefined;
      parts.push(part);
    }
  }
  return key.length <= MAX_KEY_LENGTH ? parts : undefined;
}

function encodePart(part: string): string {
  if (PLAIN.test(part)) return part;
  // Lone surrogates all become the same replacement character: two names would meet.
  if (!part.isWellFormed()) throw new InvalidInputError('A name holds broken Unicode (a lone surrogate); send valid UTF-8');
  if (part === '') return '~';
  return Array.from(Buffer.from(part, 'utf8'), (byte) => {
    const char = String.fromCharCode(byte);
    return PLAIN.test(char) ? char : `~${byte.toString(16).padStart(2, '0')}`;
  }).join('');
}

function decodePart(text: string): string | undefined {
  if (!ENCODED.test(text)) return undefined;
  if (text === '~') return '';
  const bytes = text.match(/~..|./g) ?? [];
  const part = Buffer.from(bytes.map((item) => (item.length === 3 ? parseInt(item.slice(1), 16) : item.charCodeAt(0)))).toString(
    'utf8',
  );
  // One name, one key: other spellings of it are refused.
  return encodePart(part) === text ? part : undefined;
}

function cutPart(part: string): string {
  return `~~${createHash('sha256').update(part).digest('hex').slice(0, 32)}`;
}
