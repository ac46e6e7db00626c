import type { LaneKey } from './lane.js';

/** One run of one activation: the right to work on one key. */
export interface Claim<K extends LaneKey = LaneKey> {
  key: K;
  /** `<activation id>.<attemptsStarted>.<worker nonce>`: grows with every claim of this key. */
  fence: string;
  activationId: string;
  /** Token of the activation's lock. */
  token: string;
  /** Fires when the lock could not be renewed: another worker may own the key by now. */
  signal: AbortSignal;
}

/** 1, and one more each time the activation is run again: after a death, a delay, a hand-back. */
export function attemptOf({ fence }: Claim): number {
  return Number(fence.split('.')[1]);
}

/** What becomes of an activation when its run ends. */
export type ClaimEnd =
  | { kind: 'done' }
  /** Runs again after `ms`. `recheck` runs once the delay is stored: a wake-up may have come in between. */
  | { kind: 'later'; ms: number; recheck?: () => Promise<void> }
  /** Goes to the head of the queue at once, for another process (drain). */
  | { kind: 'handBack' };
