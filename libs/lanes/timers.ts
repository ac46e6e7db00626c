import { Queue, Worker } from 'bullmq';
import type { SessionKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

const QUEUE = 'timers';
const IDLE_POLL_S = 1;

export interface Timer {
  session: SessionKey;
  /** The same id again is the same timer; it is also what makes firing twice harmless. */
  id: string;
  /** What goes into the session's mailbox, as JSON. */
  envelope: string;
}

/**
 * Envelopes that enter their session later: a park that times out, a reminder. Delayed jobs of one BullMQ queue per bucket; a
 * timer whose process dies while it fires is fired again by another, so `deliver` has to be idempotent by id (accept is).
 */
export class Timers {
  private readonly queues: Queue<Timer>[];

  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {
    this.queues = keyspace.buckets.map((bucket) => {
      const queue = new Queue<Timer>(QUEUE, { connection: redis, prefix: keyspace.prefix(bucket) });
      queue.on('error', () => undefined);
      return queue;
    });
  }

  /** For metrics. */
  get all(): readonly Queue[] {
    return this.queues;
  }

  /** Fires `afterMs` from now, by the clock of the host that set it. */
  async set(timer: Timer, afterMs: number): Promise<void> {
    const options = {
      jobId: timer.id,
      delay: afterMs,
      removeOnComplete: true,
      attempts: Number.MAX_SAFE_INTEGER,
      backoff: IDLE_POLL_S * 1000,
    };
    await this.queueOf(timer.session).add('timer', timer, options);
  }

  /** @returns false when it has fired already, or was never set. */
  async clear(session: SessionKey, id: string): Promise<boolean> {
    const queue = this.queueOf(session);
    return (await queue.getJob(id)) !== undefined && (await queue.remove(id)) === 1;
  }

  /** Fires what is due, until the returned function is called. A `deliver` that throws is tried again. */
  start(deliver: (timer: Timer) => Promise<void>): () => Promise<void> {
    const workers = this.keyspace.buckets.map((bucket) => {
      const connection = { connection: this.redis, prefix: this.keyspace.prefix(bucket), drainDelay: IDLE_POLL_S };
      const worker = new Worker<Timer>(QUEUE, (job) => deliver(job.data), {
        ...connection,
        maxStalledCount: Number.MAX_SAFE_INTEGER,
      });
      worker.on('error', () => undefined);
      return worker;
    });
    return async () => void (await Promise.all(workers.map((worker) => worker.close())));
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close().catch(() => undefined)));
  }

  private queueOf(session: SessionKey): Queue<Timer> {
    const queue = this.queues[this.keyspace.bucketOf(session)];
    if (!queue) throw new Error(`No timers for ${session}`);
    return queue;
  }
}
