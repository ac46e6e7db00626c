/** How far the time that a platform signs may lie from ours, either way, ms (Slack's and Discord's own advice: five minutes). */
const MAX_SKEW_MS = 300_000;

/**
 * Whether a signed request is of this moment, so that one overheard long ago cannot be sent again.
 * @param seconds since the epoch, as the header says it: digits, and nothing else
 * @param now ms since the epoch
 */
export function isCurrent(seconds: string, now: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(Number(seconds) * 1000 - now) <= MAX_SKEW_MS;
}
