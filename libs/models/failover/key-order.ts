import type { ModelProvider } from '#agent';

/** What is known of the keys of one provider. */
export interface KeyFacts {
  /** ModelProvider.account of the key under which the session was answered; undefined: none yet. */
  own: string | undefined;
  isWell(key: ModelProvider): boolean;
  /** To be compared: the least is the longest ago. */
  lastUse(account: string): number;
}

/**
 * The keys of one provider in the order in which a session asks them: its own first, so that the provider's prompt cache stays warm;
 * then those that are well before those that are not, the one that was not used for the longest time first.
 */
export function keysFor(keys: readonly ModelProvider[], { own, isWell, lastUse }: KeyFacts): readonly ModelProvider[] {
  if (keys.length === 1) return keys;
  const ranked = keys.map((key) => {
    const { account = '' } = key;
    return { key, rank: [account === own ? 0 : 1, isWell(key) ? 0 : 1, lastUse(account)] };
  });
  return ranked.toSorted((one, other) => compared(one.rank, other.rank)).map(({ key }) => key);
}

function compared(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
}
