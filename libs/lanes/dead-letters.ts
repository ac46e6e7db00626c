import { Queue } from 'bullmq';
import type { OutboxRow } from '#contracts';
import type { ConversationKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

export interface DeadDelivery {
  reason: string;
  row: OutboxRow;
}

const QUEUE = 'dead-deliveries';

/** Deliveries that were given up, in a BullMQ queue that nobody works on, so that Bull Board shows them. Dead messages stay in their mailbox. */
export class DeadLetters {
  private readonly queues: Queue<DeadDelivery>[];

  constructor(
    redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {
    this.queues = keyspace.buckets.map((bucket) => {
      const queue = new Queue<DeadDelivery>(QUEUE, { connection: redis, prefix: keyspace.prefix(bucket) });
      queue.on('error', () => undefined);
      return queue;
    });
  }

  /** For Bull Board. */
  get board(): readonly Queue[] {
    return this.queues;
  }

  /** The same row again is the same letter. */
  async add(conversation: ConversationKey, row: OutboxRow, reason: string): Promise<void> {
    await this.queues[this.keyspace.bucketOf(conversation)]?.add(row.mode, { reason, row }, { jobId: row.id });
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close().catch(() => undefined)));
  }
}
