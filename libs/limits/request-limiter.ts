import { loadScript, type Keyspace, type RedisClient } from '#redis';

const WINDOW_MS = 60_000;

const requestLimit = loadScript(import.meta.dirname, 'request-limit', 'time');

/** Requests per minute of one caller, counted by all replicas together on Redis time (G6). */
export class RequestLimiter {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    /** Tests make it shorter. */
    private readonly windowMs = WINDOW_MS,
  ) {}

  /**
   * Counts a request of `caller`, if there is room for it.
   * @param most per window
   * @returns 0 when it may go on, else ms until it is worth asking again. Rejects like the connection does.
   */
  async count(caller: string, most: number): Promise<number> {
    return (await requestLimit.run(this.redis, [this.keyspace.limits(`requests:${caller}`)], [most, this.windowMs])) as number;
  }
}
