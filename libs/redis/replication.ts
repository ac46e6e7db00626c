import { UnavailableError } from '#kernel';
import type { RedisClient } from './connection.js';
import type { Bucket, Keyspace } from './keyspace.js';

/** What a message is safe from once it is accepted: the death of a process, or also that of the Redis which took it (G1). */
export type Durability = 'local' | 'replicated';

const MARK_TTL_MS = 1000;

/**
 * Says when what was written before is on a replica too, over a connection of its own: WAIT holds up whatever comes behind it. It asks for the
 * replication of its own write, which comes behind theirs. Who asks while one WAIT runs shares the next.
 */
export class Replication {
  private readonly running = new Map<Bucket, Promise<void>>();
  private readonly next = new Map<Bucket, Promise<void>>();

  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    /** How long a replica may take, ms. */
    private readonly timeoutMs: number,
  ) {}

  /** For writes to `bucket` that have been answered. @throws UnavailableError no replica has confirmed them in time: they may be lost with the master */
  async confirm(bucket: Bucket): Promise<void> {
    const running = this.running.get(bucket);
    if (!running) return this.start(bucket);
    const waiting = this.next.get(bucket);
    if (waiting) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.next.delete(bucket);
        return this.start(bucket);
      });
    this.next.set(bucket, next);
    return next;
  }

  private start(bucket: Bucket): Promise<void> {
    const asked = this.ask(bucket).finally(() => this.running.delete(bucket));
    this.running.set(bucket, asked);
    return asked;
  }

  private async ask(bucket: Bucket): Promise<void> {
    const replies = await this.redis
      .pipeline()
      .set(this.keyspace.replicationMark(bucket), 1, 'PX', MARK_TTL_MS)
      .call('WAIT', 1, this.timeoutMs)
      .exec()
      .catch((error: unknown) => {
        throw new UnavailableError('Redis is unreachable', { cause: error });
      });
    const [error, replicas] = replies?.[1] ?? [];
    if (error) throw new UnavailableError('Redis did not say what is replicated', { cause: error });
    if (Number(replicas) < 1)
      throw new UnavailableError(
        `No replica of Redis confirmed the write within ${this.timeoutMs} ms (redis.durability is replicated)`,
      );
  }
}
