import { createHash } from 'node:crypto';

/** OpenAI's Responses refuse longer ids; ours and other providers' may be. */
const SHORT = 64;

/** Of [A-Za-z0-9_-], as Anthropic wants them. */
export function wordCallId(id: string): string {
  return /^[\w-]+$/.test(id) ? id : `id_${Buffer.from(id).toString('hex')}`;
}

export function shortCallId(id: string): string {
  return id.length <= SHORT ? id : createHash('sha256').update(id).digest('base64url');
}

/** Exactly nine of [A-Za-z0-9], as Mistral wants them. */
export function nineCharacterCallId(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
}
