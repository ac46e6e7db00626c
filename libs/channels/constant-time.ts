import { createHash, timingSafeEqual } from 'node:crypto';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares a secret with what a stranger sent; the time taken tells nothing about either, not even the length. */
export function equalInConstantTime(secret: string, given: string): boolean {
  return timingSafeEqual(digest(secret), digest(given));
}
