import { hash } from 'node:crypto';
import type { ModelProvider } from '#agent';

/**
 * The keys of one provider in the order in which a session asks them: the same one first as long as the keys are the same, so that
 * the provider's prompt cache stays warm; another one for other sessions, so that each key has its share (rendezvous hashing).
 */
export function keysFor(session: string, keys: readonly ModelProvider[]): readonly ModelProvider[] {
  if (keys.length === 1) return keys;
  const rank = ({ account = '' }: ModelProvider) => hash('sha256', `${session} ${account}`, 'base64url');
  return keys
    .map((key) => ({ key, rank: rank(key) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ key }) => key);
}
