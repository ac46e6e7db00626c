import { loadScript, type Keyspace, type RedisClient } from '#redis';

const WINDOW_MS = 60_000;

const requestLimit = loadScript(import.meta.dirname, 'request-limit', 'time');

export interface Counted {
  /** 0: it may go on; else ms until it is worth asking again. */
  waitMs: number;
  /** Requests that may still come in this window. */
  left: number;
  /** Until the window ends, ms. */
  resetMs: number;
}

/** Requests per minute of one caller, counted by all replicas together on Redis time (G6). */
export class RequestLimiter {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    /** Tests make it shorter. */
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** Counts a request of `caller`, if there is room for it. @param most per window. Rejects like the connection does. */
  async count(caller: string, most: number): Promise<Counted> {
    const keys = [this.keyspace.limits(`requests:${caller}`)];
    const reply = await requestLimit.run(this.redis, keys, [most, this.windowMs]);
    const [waitMs, left, resetMs] = reply as [number, number, number];
    return { waitMs, left, resetMs };
  }
}
