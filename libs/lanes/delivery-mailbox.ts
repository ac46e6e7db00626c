import type { OutboxRow } from '#contracts';
import type { ConversationKey, OutboxRowId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { Lane } from './lane.js';
import { outboxKeys } from './outbox-keys.js';

/**
 * How far a delivery is, as text in Redis: one letter and JSON. `q` waits, nothing is in flight; `s` the next chunk may be in
 * flight; `f` final. Taking a delivery turns `q` into `s` and leaves the JSON, which is the dispatcher's, alone.
 */
export type DeliveryState = string;

/** A row as it waits in a conversation: with its place in the outbox it came from. */
export interface Delivery {
  row: OutboxRow;
  /** Number in the outbox of `row.session`; 0 when it is in none. */
  number: number;
}

export type DeliveryTake =
  | { kind: 'superseded' }
  | { kind: 'rolledBack'; fence: string }
  | { kind: 'tooEarly'; ms: number }
  | { kind: 'released' }
  /** `state` is the first delivery's, before this take marked it started; `now` is Redis time. */
  | { kind: 'deliveries'; state: DeliveryState; now: number; deliveries: Delivery[] };

export interface NextDelivery {
  state: DeliveryState;
  left: number;
  now: number;
}

const CONVERSATION_TTL_MS = 3_600_000;

const takeScript = loadScript(import.meta.dirname, 'take-deliveries', 'fence', 'time');
const ackScript = loadScript(import.meta.dirname, 'ack-delivery', 'time');
const markScript = loadScript(import.meta.dirname, 'mark-delivery', 'time');

/** One claimed conversation of the `deliveries` lane: a Redis list, drained in order by one dispatcher at a time. */
export class DeliveryMailbox {
  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
    /** Receipts are kept twice the maximum age of a delivery. */
    private readonly receiptTtlMs: number,
    private readonly claim: Claim<ConversationKey>,
  ) {}

  /** Claims the conversation, reads its first deliveries and marks the first one started; an empty one is released. */
  async take(most: number): Promise<DeliveryTake> {
    const { key, fence, activationId, token } = this.claim;
    const keys = [
      this.k.deliveries(key),
      this.k.conversation(key),
      this.busy,
      this.wakeUp,
      this.due,
      this.lane.lockKey(key, activationId),
    ];
    const args = [fence, most, this.k.receiptPrefix(key), key, this.receiptTtlMs, token, CONVERSATION_TTL_MS];
    const [kind, ...rest] = (await takeScript.run(this.redis, keys, args)) as [string, ...unknown[]];
    switch (kind) {
      case 'F':
        return { kind: 'superseded' };
      case 'R':
        return { kind: 'rolledBack', fence: String(rest[0]) };
      case 'N':
        return { kind: 'tooEarly', ms: Number(rest[0]) };
      case 'E':
        return { kind: 'released' };
      default: {
        const [state, now, ...rows] = rest as [string, number, ...string[]];
        return { kind: 'deliveries', state, now, deliveries: rows.map(parseDelivery) };
      }
    }
  }

  /**
   * Makes `done` final and marks `next` started, in one round trip; deletes the outbox row too, where `ownsOutboxOf` says so.
   * @returns undefined when superseded
   */
  async ack(done: Delivery, final: DeliveryState, next: OutboxRow | undefined): Promise<NextDelivery | undefined> {
    const { key, fence } = this.claim;
    const { row, number } = done;
    const session = row.session as SessionKey;
    const outbox = this.ownsOutboxOf(row) ? outboxKeys(this.k, session) : [];
    const keys = [
      this.k.deliveries(key),
      this.k.conversation(key),
      this.receipt(row),
      this.receipt(next ?? row),
      this.busy,
      this.wakeUp,
      ...outbox,
    ];
    const waiter = row.notify ? this.k.receiptChannel(row.notify) : '';
    const args = [fence, final, this.receiptTtlMs, next ? 1 : 0, key, row.id, waiter, outbox.length > 0 ? number : '', session];
    const [kind, state, left, now] = (await ackScript.run(this.redis, keys, args)) as [string, string, number, number];
    return kind === 'F' ? undefined : { state, left, now };
  }

  /** Whether the session of a row lives in this conversation's slot: then one script can touch both. */
  ownsOutboxOf(row: OutboxRow): boolean {
    return this.k.bucketOf(row.session as SessionKey) === this.k.bucketOf(this.claim.key);
  }

  /** Writes down how far a delivery is, and holds the whole conversation back for `holdMs`. @returns false when superseded. */
  async mark(row: OutboxRow, state: DeliveryState | undefined, holdMs: number): Promise<boolean> {
    const { key, fence } = this.claim;
    const keys = [this.k.conversation(key), this.receipt(row), this.due];
    return (await markScript.run(this.redis, keys, [fence, state ?? '', this.receiptTtlMs, Math.ceil(holdMs), key])) === 1;
  }

  private get k(): Keyspace {
    return this.keyspace;
  }
  private receipt(row: OutboxRow): string {
    return this.k.receipt(this.claim.key, row.id as OutboxRowId);
  }
  private get busy(): string {
    return this.k.busy(this.lane.name, this.k.bucketOf(this.claim.key));
  }
  private get due(): string {
    return this.k.due(this.lane.name, this.k.bucketOf(this.claim.key));
  }
  private get wakeUp(): string {
    return this.k.activation(this.lane.name, this.k.bucketOf(this.claim.key), `dn:${this.claim.key}`);
  }
}

/** The id is repeated outside the row for the scripts that look at the head of the list. */
export function encodeDelivery({ row, number }: Delivery): string {
  return JSON.stringify({ id: row.id, number, row });
}

function parseDelivery(text: string): Delivery {
  const { number, row } = JSON.parse(text) as Delivery;
  return { number, row };
}
