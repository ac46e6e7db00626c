import type { OutboxRow } from '#contracts';
import type { ConversationKey, OutboxRowId } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

/** How far a platform says a message came. */
const RANKS = { sent: 1, delivered: 2, read: 3, failed: 4 } as const;
export type ReportedState = keyof typeof RANKS;

const ROW = 'row';
const rank = loadScript(import.meta.dirname, 'rank-report');

/** Rows of channels whose platform takes a message first and reports later what became of it; kept for as long as receipts are. */
export class SentRows {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly ttlMs: number,
  ) {}

  /** Before it leaves: the report may be faster than the answer to the send. */
  async keep(conversation: ConversationKey, row: OutboxRow): Promise<void> {
    const key = this.keyspace.sentRow(conversation, (row.replayOf ?? row.id) as OutboxRowId);
    // What was said of it before it was sent again is settled.
    const forgotten = row.replayOf === undefined ? undefined : this.redis.del(key);
    await Promise.all([forgotten, this.redis.hset(key, ROW, JSON.stringify(row)), this.redis.pexpire(key, this.ttlMs)]);
  }

  /** The row, when the state of its part is news: until that is settled. */
  async newsOf(
    conversation: ConversationKey,
    id: OutboxRowId,
    part: string,
    state: ReportedState,
  ): Promise<OutboxRow | 'known' | 'forgotten'> {
    const [row, known] = await this.redis.hmget(this.keyspace.sentRow(conversation, id), ROW, part);
    if (!row) return 'forgotten';
    return Number(known ?? 0) < RANKS[state] ? (JSON.parse(row) as OutboxRow) : 'known';
  }

  /** The state is seen to. @returns false when another was faster, or further */
  async settle(conversation: ConversationKey, id: OutboxRowId, part: string, state: ReportedState): Promise<boolean> {
    return (await rank.run(this.redis, [this.keyspace.sentRow(conversation, id)], [part, RANKS[state]])) === 1;
  }
}
