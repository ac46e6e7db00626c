import type { Clock } from '#kernel';

/** What is left of the time of one send that needs several requests. */
export class TimeBudget {
  private readonly end: number;

  /** @param ms for all of them together */
  constructor(
    ms: number,
    private readonly clock: Clock,
  ) {
    this.end = clock.monotonic() + ms;
  }

  /** Whole ms, at least 1: a request that has no time left fails by itself. */
  left(): number {
    return Math.max(1, Math.floor(this.end - this.clock.monotonic()));
  }
}
