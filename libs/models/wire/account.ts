import { hash } from 'node:crypto';

/** Enough to tell the keys of one deployment apart. */
const HASH_CHARS = 16;

/** ModelProvider.account: one for each provider, server and key. The key cannot be read out of it. */
export function accountOf(provider: string, baseUrl: string | undefined, apiKey: string): string {
  return hash('sha256', JSON.stringify([provider, baseUrl ?? '', apiKey]), 'base64url').slice(0, HASH_CHARS);
}
