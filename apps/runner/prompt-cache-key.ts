import { hash } from 'node:crypto';

/** Longer keys are refused by OpenAI above 64 characters; these are 192 bits. */
const HASH_CHARS = 32;

/** The same for every turn of a session, and for no other session of any tenant; a provider learns neither name from it. */
export function promptCacheKey({ tenant, session }: { tenant: string; session: string }): string {
  return hash('sha256', JSON.stringify([tenant, session]), 'base64url').slice(0, HASH_CHARS);
}
