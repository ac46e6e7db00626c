import type { ConversationKey, OutboxRowId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { encodeDelivery } from './delivery-mailbox.js';
import type { GuardedMulti } from './guarded-multi.js';
import type { Lane } from './lane.js';
import { outboxKeys } from './outbox-keys.js';
import type { NumberedRow } from './take-reply.js';

const relayGuard = loadScript(import.meta.dirname, 'relay-guard', 'time');
const outboxDone = loadScript(import.meta.dirname, 'outbox-done');

/**
 * Carries outbox rows of a session into their conversations, strictly in order, one guarded MULTI per run of rows to the
 * same conversation, stopping at the first failure. Relaying a row twice is harmless: its receipt exists already.
 */
export class Relay {
  constructor(
    private readonly redis: RedisClient,
    private readonly deliveries: Lane,
    private readonly multi: GuardedMulti,
    private readonly keyspace: Keyspace,
    private readonly conversationOf: (row: NumberedRow['row']) => ConversationKey,
    private readonly receiptTtlMs: number,
  ) {}

  /** @returns the highest number relayed. Throws UnavailableError: nothing after the failed row was relayed. */
  async relay(rows: readonly NumberedRow[]): Promise<number | undefined> {
    for (const run of this.runs(rows)) await this.relayRun(run);
    return rows.at(-1)?.number;
  }

  /**
   * How a commit hands its rows over by itself: all to one conversation in the session's slot. `wake` is left to do then;
   * a claim that dies in between leaves rows that count as not relayed, and relaying them again wakes the conversation.
   */
  handOver(session: SessionKey, rows: readonly NumberedRow['row'][]): HandOver | undefined {
    const k = this.keyspace;
    const [conversation, ...others] = new Set(rows.map((row) => this.conversationOf(row)));
    if (!conversation || others.length > 0) return undefined;
    const bucket = k.bucketOf(conversation);
    if (bucket !== k.bucketOf(session)) return undefined;
    const receipts = rows.map(({ id }) => k.receipt(conversation, id as OutboxRowId));
    return {
      conversation,
      keys: [k.deliveries(conversation), k.busy(this.deliveries.name, bucket), ...receipts],
      receiptTtlMs: this.receiptTtlMs,
    };
  }

  async wake({ conversation }: HandOver): Promise<void> {
    await this.deliveries.activate(conversation);
  }

  /** Deletes a row whose receipt is final from the outbox of its session. */
  async done(session: SessionKey, number: number): Promise<void> {
    const keys = outboxKeys(this.keyspace, session);
    await outboxDone.run(this.redis, keys, [number, session]);
  }

  private async relayRun({ conversation, rows }: Run): Promise<void> {
    const k = this.keyspace;
    const bucket = k.bucketOf(conversation);
    const replies = await this.multi.run((transaction, guard) => {
      this.deliveries.addTo(transaction, conversation);
      for (const row of rows) {
        const keys = [
          k.deliveries(conversation),
          k.activation(this.deliveries.name, bucket, `de:${conversation}`),
          k.receipt(conversation, row.row.id as OutboxRowId),
          k.busy(this.deliveries.name, bucket),
        ];
        guard(relayGuard, keys, [conversation, encodeDelivery(row), this.receiptTtlMs]);
      }
    });
    // A row that was relayed before and is final by now has nobody left to delete it.
    const states = replies.slice(-rows.length).map(String);
    const final = rows.filter((_, index) => states[index]?.startsWith('f'));
    await Promise.all(final.map(({ row, number }) => this.done(row.session as SessionKey, number)));
  }

  private runs(rows: readonly NumberedRow[]): Run[] {
    const runs: Run[] = [];
    for (const row of rows) {
      const conversation = this.conversationOf(row.row);
      const last = runs.at(-1);
      if (last?.conversation === conversation) last.rows.push(row);
      else runs.push({ conversation, rows: [row] });
    }
    return runs;
  }
}

/** What commit.lua needs to put rows into their conversation. */
export interface HandOver {
  conversation: ConversationKey;
  keys: string[];
  receiptTtlMs: number;
}

interface Run {
  conversation: ConversationKey;
  rows: NumberedRow[];
}
