import type { Clock } from '#kernel';
import type { Candidate, CandidateHealth } from './candidate.js';

/** What the candidates of a turn did, for logs and metrics. */
export type FailoverEvent =
  | { kind: 'failed'; model: string; code: string; decision: 'again' | 'next' | 'end'; error: unknown }
  /** Behind `failures` failed calls, or in place of `asked`, which rests. `lostMs`: from the first question to the one that was answered. */
  | { kind: 'answered'; model: string; asked: string; failures: number; lostMs: number };

export interface ChainParts {
  health: CandidateHealth;
  clock: Clock;
  /** Failed calls the turn may still make; counted down here. */
  failuresLeft: { count: number };
  /** Tokens that a model takes in one request. */
  windowOf(provider: string, model: string): number;
  /** Before each question, and behind each whole answer. Must not throw. */
  used(candidate: Candidate, how: 'asked' | 'answered'): void;
  /** Must not throw. */
  report(event: FailoverEvent): void;
  random?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}
