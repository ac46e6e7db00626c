const BASE_MS = 500;
const CAP_MS = 60_000;

/**
 * Exponential backoff with full jitter above half: attempt 1 waits 250-500 ms, doubling up to 30-60 s.
 * @param attempt 1 for the first retry
 * @param random  0 <= random < 1
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempt - 1));
  return Math.round(ceiling / 2 + random() * (ceiling / 2));
}
