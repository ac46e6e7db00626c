import type { ModelProvider } from '#agent';
import type { Rest } from './failover-policy.js';

/** One model under one key. */
export interface Candidate {
  provider: ModelProvider;
  /** The provider's own name for it. */
  model: string;
}

/** What all runners know of candidates together; nothing of it may throw. */
export interface CandidateHealth {
  /** `due`: its rest is over, and nobody has found out yet. No round trip. */
  state(candidate: Candidate): 'well' | 'resting' | 'due';
  /** Whether it is this caller's part to find out whether a `due` one is well. */
  mayProbe(candidate: Candidate): Promise<boolean>;
  /** It has given a whole answer after a rest. */
  recovered(candidate: Candidate): void;
  /** @param retryAfterMs the least rest */
  rest(candidate: Candidate, rest: Rest, retryAfterMs: number | undefined): void;
}

/** provider/model */
export function nameOf({ provider, model }: Candidate): string {
  return `${provider.id}/${model}`;
}
