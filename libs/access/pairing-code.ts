import { randomInt } from 'node:crypto';

/** Without 0 and O, 1 and I, which people confuse. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 8;
const CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

/** 40 bits. */
export function newPairingCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** As somebody typed it; undefined for what is none. */
export function readPairingCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODE.test(code) ? code : undefined;
}
