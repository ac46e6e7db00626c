import type { LengthUnit } from './dialect.js';

/** The length of a well-formed text as a platform counts it. */
export function lengthIn(unit: LengthUnit, text: string): number {
  switch (unit) {
    case 'utf16':
      return text.length;
    case 'bytes':
      return Buffer.byteLength(text);
    case 'characters':
      return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  }
}

/** Platforms refuse a message in which nothing can be seen. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);
}
