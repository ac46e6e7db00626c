import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for the world outside this process (a Redis key, another process's log), which sends no event. `ms` is a generous
 * guard against hanging; what was seen last is in the error.
 */
export async function waitUntil<T>(
  what: string,
  look: () => T | Promise<T>,
  holds: (seen: T) => boolean,
  ms = 40_000,
): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`Not in ${ms} ms: ${what}. Last seen: ${JSON.stringify(seen)}`);
    await sleep(20);
  }
}
