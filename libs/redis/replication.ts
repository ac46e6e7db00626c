import { UnavailableError } from '#kernel';
import type { RedisClient } from './connection.js';
import type { Bucket, Keyspace } from './keyspace.js';

/** What a message is safe from once it is accepted: the death of a process, or also that of the Redis which took it (G1). */
export type Durability = 'local' | 'replicated';

const MARK_TTL_MS = 1000;

/** Those who share one WAIT: their keys, and when it is answered, which of them the master had before it. */
interface Round {
  readonly keys: string[];
  readonly held: Promise<ReadonlySet<string>>;
}

/**
 * Says when what was written before is on a replica too, over a connection of its own: WAIT holds up whatever comes behind it. It asks for the
 * replication of its own write, which comes behind theirs. Who asks while one WAIT runs shares the next. The master that answers may have
 * taken over since the write, without it: it is asked for a key of the write as well, on the same connection, before.
 */
export class Replication {
  private readonly running = new Map<Bucket, Promise<unknown>>();
  private readonly next = new Map<Bucket, Round>();

  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    /** How long a replica may take, ms. */
    private readonly timeoutMs: number,
  ) {}

  /**
   * For a write to `bucket` that has been answered, which left `key`.
   * @throws UnavailableError no replica has confirmed it in time, or another master has taken over without it: it may be lost
   */
  async confirm(bucket: Bucket, key: string): Promise<void> {
    const round = this.next.get(bucket) ?? this.begin(bucket);
    round.keys.push(key);
    if (!(await round.held).has(key))
      throw new UnavailableError('Another Redis has taken over since the write, without it (redis.durability is replicated)');
  }

  /** A round that starts when the running one is over; until then others join it. */
  private begin(bucket: Bucket): Round {
    const keys: string[] = [];
    const before = this.running.get(bucket) ?? Promise.resolve();
    const held = before
      .catch(() => undefined)
      .then(() => {
        this.next.delete(bucket);
        const asked = this.ask(bucket, keys);
        this.running.set(bucket, asked);
        return asked;
      });
    const round = { keys, held };
    this.next.set(bucket, round);
    return round;
  }

  private async ask(bucket: Bucket, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const pipeline = this.redis.pipeline();
    for (const key of keys) pipeline.exists(key);
    pipeline.set(this.keyspace.replicationMark(bucket), 1, 'PX', MARK_TTL_MS).call('WAIT', 1, this.timeoutMs);
    const replies = await pipeline.exec().catch((error: unknown) => {
      throw new UnavailableError('Redis is unreachable', { cause: error });
    });
    const [error, replicas] = replies?.at(-1) ?? [];
    if (error) throw new UnavailableError('Redis did not say what is replicated', { cause: error });
    if (Number(replicas) < 1)
      throw new UnavailableError(
        `No replica of Redis confirmed the write within ${this.timeoutMs} ms (redis.durability is replicated)`,
      );
    return new Set(keys.filter((_, index) => replies?.[index]?.[1] === 1));
  }
}
