import { Queue } from 'bullmq';
import type { SessionKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';
import type { Lane, LaneName } from './lane.js';

export interface BusyKey {
  key: string;
  /** Redis time at which it became busy, ms. */
  since: number;
}

/** What the `busy` sets know: depth and age of a lane, and queue objects for the sessions that have mail now. */
export class BusySessions {
  constructor(
    private readonly redis: RedisClient,
    private readonly turns: Lane,
    private readonly keyspace: Keyspace,
  ) {}

  /** Longest busy first. */
  async list(lane: LaneName, most: number): Promise<BusyKey[]> {
    const found: BusyKey[] = [];
    for (const bucket of this.keyspace.buckets) {
      const flat = await this.redis.zrange(this.keyspace.busy(lane, bucket), '0', String(most - 1), 'WITHSCORES');
      for (let index = 0; index < flat.length; index += 2) found.push({ key: flat[index] ?? '', since: Number(flat[index + 1]) });
    }
    return found.sort((a, b) => a.since - b.since).slice(0, most);
  }

  async count(lane: LaneName): Promise<number> {
    const counts = await Promise.all(this.keyspace.buckets.map((bucket) => this.redis.zcard(this.keyspace.busy(lane, bucket))));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /**
   * A BullMQ queue object of one session's mailbox, for Bull Board: costs no connection and no command. Read it only;
   * `skipMetasUpdate` keeps it from creating keys of a session that is idle (reference: BullMQ facts).
   */
  mailboxQueue(session: SessionKey): Queue {
    const bucket = this.keyspace.bucketOf(session);
    const options = { connection: this.redis, prefix: this.keyspace.prefix(bucket), skipMetasUpdate: true };
    return new Queue(this.keyspace.mailboxName(session), options, (name) => this.turns.sibling(bucket, name));
  }
}
