import type { Clock } from '#kernel';

/** OpenClaw's numbers. */
const FAILURES = 3;
const PAUSE_MS = 60_000;

/**
 * Keeps calls from a server that fails: after three failures in a row it rests for a minute, then one call may try. Its
 * success opens the way again, its failure is another minute.
 */
export class Circuit {
  #failures = 0;
  #restsUntil = 0;
  #trying = false;

  constructor(private readonly clock: Clock) {}

  /** ms to wait; 0: go ahead, and say how it ended. */
  enter(): number {
    if (this.#failures < FAILURES) return 0;
    const left = this.#restsUntil - this.clock.monotonic();
    if (left > 0) return left;
    if (this.#trying) return PAUSE_MS;
    this.#trying = true;
    return 0;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trying = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#trying = false;
    this.#restsUntil = this.clock.monotonic() + PAUSE_MS;
  }

  /** The call that was let in was given up: it says nothing of the server. */
  abandoned(): void {
    this.#trying = false;
  }
}
