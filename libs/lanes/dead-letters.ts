import { Queue } from 'bullmq';
import { deadLetterSchema, replaySchema, type DeadLetter, type OutboxRow, type Replay } from '#contracts';
import { checkpoint, type ConversationKey, type OutboxRowId, type TenantId } from '#kernel';
import { loadScript, redisTime, type Bucket, type Keyspace, type RedisClient } from '#redis';
import { encodeDelivery } from './delivery-mailbox.js';
import type { GuardedMulti } from './guarded-multi.js';
import type { Lane } from './lane.js';

const QUEUE = 'dead-deliveries';
/** Of the oldest, dropped with each new one. */
const FORGOTTEN_AT_ONCE = 10;

const replayGuard = loadScript(import.meta.dirname, 'replay-guard', 'time');

export interface DeadLetterTimes {
  /** How long letters, and what became of them, are kept, ms. */
  keepMs: number;
  /** Of the receipt of the row that is sent in the place of one. */
  receiptTtlMs: number;
}

/** What asking for a replay came to. `busy`: the process that gave it up died meanwhile, and another tries once more. */
export type ReplayAnswer = { kind: 'replayed'; replay: Replay } | { kind: 'unknown' } | { kind: 'busy' };

/**
 * Deliveries that were given up, by tenant, in a BullMQ queue that nobody works on, so that Bull Board shows them. Dead
 * messages stay in their mailbox.
 */
export class DeadLetters {
  private readonly queues: Queue<DeadLetter>[];

  constructor(
    private readonly redis: RedisClient,
    private readonly deliveries: Lane,
    private readonly multi: GuardedMulti,
    private readonly keyspace: Keyspace,
    private readonly conversationOf: (row: OutboxRow) => ConversationKey,
    private readonly times: DeadLetterTimes,
  ) {
    this.queues = keyspace.buckets.map((bucket) => {
      const queue = new Queue<DeadLetter>(QUEUE, { connection: redis, prefix: keyspace.prefix(bucket) });
      queue.on('error', () => undefined);
      return queue;
    });
  }

  /** For Bull Board and metrics. */
  get board(): readonly Queue[] {
    return this.queues;
  }

  /** Before its receipt is final: a death in between has the delivery tried once more. The same row again is the same letter. `at` 0: now. */
  async add(given: DeadLetter): Promise<void> {
    const letter = { ...given, at: given.at || (await redisTime(this.redis)) };
    const { row, at } = letter;
    const bucket = this.bucketOf(row);
    const index = this.keyspace.deadLetters(bucket, row.tenant);
    await this.queues[bucket]?.add(row.mode, letter, { jobId: row.id });
    await this.redis.zadd(index, at, row.id);
    const old = await this.redis.zrangebyscore(index, '-inf', at - this.times.keepMs, 'LIMIT', 0, FORGOTTEN_AT_ONCE);
    await Promise.all(old.map((id) => this.remove(bucket, row.tenant, id)));
  }

  /** It was sent after all. */
  async takeBack(row: OutboxRow): Promise<void> {
    await this.remove(this.bucketOf(row), row.tenant, row.id);
  }

  /**
   * Newest first, given up before `before` (Redis time, ms). At least `most` where there are so many: all of the last one's
   * millisecond come with it, so that its time is where the next page begins.
   */
  async list(tenant: TenantId, most: number, before: number | undefined): Promise<DeadLetter[]> {
    const from = before === undefined ? '+inf' : `(${before}`;
    const newest = await this.ids(tenant, (index) =>
      this.redis.zrevrangebyscore(index, from, '-inf', 'WITHSCORES', 'LIMIT', 0, most),
    );
    const last = newest.toSorted((a, b) => b.at - a.at)[most - 1]?.at ?? '-inf';
    const page = await this.ids(tenant, (index) => this.redis.zrevrangebyscore(index, from, last, 'WITHSCORES'));
    const letters = await Promise.all(page.map(({ bucket, id }) => this.read(bucket, id)));
    return letters.filter((letter) => letter !== undefined).sort((a, b) => b.at - a.at);
  }

  /** A tenant's letter, or what became of it. */
  async find(tenant: TenantId, id: string): Promise<DeadLetter | Replay | undefined> {
    for (const bucket of this.keyspace.buckets) {
      const [letter, replay] = await Promise.all([
        this.read(bucket, id),
        this.redis.get(this.keyspace.replay(bucket, tenant, id)),
      ]);
      if (letter?.row.tenant === tenant) return letter;
      if (replay) return replaySchema.parse(JSON.parse(replay));
    }
    return undefined;
  }

  /**
   * Sends a letter once more, behind what waits in its conversation: the parts that had not arrived, with a maximum age of
   * its own. Once, however often and wherever it is asked for: later calls are told what the first did.
   * @throws UnavailableError nothing is known to be sent, asking again is safe
   */
  async replay(tenant: TenantId, id: string): Promise<ReplayAnswer> {
    const found = await this.find(tenant, id);
    if (!found) return { kind: 'unknown' };
    if (!('reason' in found)) return { kind: 'replayed', replay: found };
    const answer = await this.send(found, again(found.row));
    if (answer === 'gone') return { kind: 'unknown' };
    return answer === 'busy' ? { kind: 'busy' } : { kind: 'replayed', replay: replaySchema.parse(JSON.parse(answer)) };
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close().catch(() => undefined)));
  }

  private async send({ row, progress }: DeadLetter, next: OutboxRow): Promise<string> {
    const k = this.keyspace;
    const conversation = this.conversationOf(row);
    const bucket = k.bucketOf(conversation);
    const keys = [
      k.activation(this.deliveries.name, bucket, `de:${conversation}`),
      k.activation(QUEUE, bucket, row.id),
      k.activation(QUEUE, bucket, 'wait'),
      k.deadLetters(bucket, row.tenant),
      k.replay(bucket, row.tenant, row.id),
      k.receipt(conversation, row.id as OutboxRowId),
      k.deliveries(conversation),
      k.receipt(conversation, next.id as OutboxRowId),
      k.busy(this.deliveries.name, bucket),
    ];
    const replay: Replay = { row: next.id, at: 0 };
    const delivery = encodeDelivery({ row: next, number: 0 });
    const { receiptTtlMs, keepMs } = this.times;
    const args = [row.id, conversation, delivery, progress, receiptTtlMs, JSON.stringify(replay), keepMs];
    checkpoint('replay.before-exec');
    const replies = await this.multi.run((transaction, guard) => {
      this.deliveries.addTo(transaction, conversation);
      guard(replayGuard, keys, args);
    });
    checkpoint('replay.after-exec');
    return String(replies.at(-1));
  }

  private async ids(
    tenant: TenantId,
    ask: (index: string) => Promise<string[]>,
  ): Promise<{ bucket: Bucket; id: string; at: number }[]> {
    const lists = this.keyspace.buckets.map(async (bucket) => {
      const flat = await ask(this.keyspace.deadLetters(bucket, tenant));
      return Array.from({ length: flat.length / 2 }, (_, n) => ({ bucket, id: flat[2 * n] ?? '', at: Number(flat[2 * n + 1]) }));
    });
    return (await Promise.all(lists)).flat();
  }

  private async read(bucket: Bucket, id: string): Promise<DeadLetter | undefined> {
    const letter = await this.redis.hget(this.keyspace.activation(QUEUE, bucket, id), 'data');
    return letter ? deadLetterSchema.parse(JSON.parse(letter)) : undefined;
  }

  private async remove(bucket: Bucket, tenant: string, id: string): Promise<void> {
    await this.queues[bucket]?.remove(id);
    await this.redis.zrem(this.keyspace.deadLetters(bucket, tenant), id);
  }

  private bucketOf(row: OutboxRow): Bucket {
    return this.keyspace.bucketOf(this.conversationOf(row));
  }
}

/** The row of a replay: of the same turn, with an age of its own. */
function again(row: OutboxRow): OutboxRow {
  const first = row.replayOf ?? row.id;
  const times = Number(/~r(\d+)$/.exec(row.id)?.[1] ?? 0) + 1;
  return { ...row, id: `${first}~r${times}`, replayOf: first, at: 0 };
}
