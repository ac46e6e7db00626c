import type { OutboxRow } from '#contracts';
import type { ConversationKey, OutboxRowId, SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { Lane } from './lane.js';
import { outboxKeys } from './outbox-keys.js';
import { NO_PERMIT, SendPermits, type PermitRequest, type SendLimits, type SendPause } from './send-permits.js';

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
  /** Held, by its own notBefore or, newly, until it may have a permit. */
  | { kind: 'tooEarly'; ms: number; isThrottled: boolean }
  | { kind: 'released' }
  /** `state` is the first delivery's, before this take marked it started; `now` is Redis time. */
  | { kind: 'deliveries'; state: DeliveryState; now: number; deliveries: Delivery[] };

export interface NextDelivery {
  state: DeliveryState;
  left: number;
  now: number;
  /** ms until the next delivery may have a permit; 0: it has one, and is marked started. */
  waitMs: number;
}

export interface DeliveryAges {
  /** Older deliveries are not sent, ms. */
  maxAgeMs: number;
  /** How long receipts are kept, ms: twice the maximum age. */
  receiptTtlMs: number;
}

const CONVERSATION_TTL_MS = 3_600_000;

const takeScript = loadScript(import.meta.dirname, 'take-deliveries', 'fence', 'time', 'rates');
const ackScript = loadScript(import.meta.dirname, 'ack-delivery', 'time', 'rates');
const markScript = loadScript(import.meta.dirname, 'mark-delivery', 'time', 'rates');

/** One claimed conversation of the `deliveries` lane: a Redis list, drained in order by one dispatcher at a time. */
export class DeliveryMailbox {
  private readonly permits: SendPermits;
  /** Redis time when it last said so. */
  private now = 0;

  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
    private readonly ages: DeliveryAges,
    private readonly claim: Claim<ConversationKey>,
    limits: SendLimits,
  ) {
    this.permits = new SendPermits(redis, keyspace, claim, limits);
  }

  /**
   * Claims the conversation and reads its first deliveries; the first one has its permit then, and is marked started. Where
   * it can have none the conversation is held until it can. An empty one is released.
   */
  async take(most: number): Promise<DeliveryTake> {
    const { take, waitMs } = await this.permits.first(
      async (along) => ({ take: await this.taken(most, along), waitMs: 0 }),
      ({ take: seen }) => seen.kind === 'deliveries' && this.maySend(seen),
    );
    if (take.kind !== 'deliveries' || waitMs === 0) return take;
    const [first] = take.deliveries;
    const held = first && (await this.hold(first.row, take.state, waitMs));
    return held ? { kind: 'tooEarly', ms: waitMs, isThrottled: true } : { kind: 'superseded' };
  }

  /**
   * Makes `done` final, asks for the permit of `next` and marks it started, in one round trip; deletes the outbox row too,
   * where `ownsOutboxOf` says so.
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
    const args = [
      fence,
      final,
      this.ages.receiptTtlMs,
      next ? 1 : 0,
      key,
      row.id,
      waiter,
      outbox.length > 0 ? number : '',
      session,
    ];
    const call = async (along: PermitRequest) => {
      const reply = await ackScript.run(this.redis, [...keys, ...along.keys], [...args, ...along.args]);
      const [kind, state, left, now, waitMs] = reply as [string, string, number, number, number];
      return { superseded: kind === 'F', state, left, now, waitMs };
    };
    const asks = next && this.now - next.at <= this.ages.maxAgeMs;
    const answer = await (asks ? this.permits.next(call) : this.permits.giveBack(call));
    this.now = answer.now;
    return answer.superseded ? undefined : answer;
  }

  /** Whether the session of a row lives in this conversation's slot: then one script can touch both. */
  ownsOutboxOf(row: OutboxRow): boolean {
    return this.k.bucketOf(row.session as SessionKey) === this.k.bucketOf(this.claim.key);
  }

  /** Writes down how far a delivery is; the permit stays in hand. @returns false when superseded. */
  async mark(row: OutboxRow, state: DeliveryState): Promise<boolean> {
    return (await this.marked(row, state, 0, NO_PERMIT)) >= 0;
  }

  /** For the next chunk: gives the permit back and asks for another. @returns ms until there is one; 0: had, and written down; -1: superseded. */
  async markNext(row: OutboxRow, state: DeliveryState): Promise<number> {
    const { waitMs } = await this.permits.next(async (along) => ({ waitMs: await this.marked(row, state, 0, along) }));
    return waitMs;
  }

  /**
   * Writes down how far a delivery is, gives the permit back, and holds the whole conversation for `ms`.
   * @param pause what the platform said about all that share a rate. @returns false when superseded.
   */
  async hold(row: OutboxRow, state: DeliveryState, ms: number, pause?: SendPause): Promise<boolean> {
    return (await this.permits.giveBack((along) => this.marked(row, state, ms, along), pause)) >= 0;
  }

  private async taken(most: number, along: PermitRequest): Promise<DeliveryTake> {
    const { key, fence, activationId, token } = this.claim;
    const keys = [
      this.k.deliveries(key),
      this.k.conversation(key),
      this.busy,
      this.wakeUp,
      this.due,
      this.lane.lockKey(key, activationId),
      ...along.keys,
    ];
    const { maxAgeMs, receiptTtlMs } = this.ages;
    const prefix = this.k.receiptPrefix(key);
    const args = [fence, most, prefix, key, receiptTtlMs, token, CONVERSATION_TTL_MS, maxAgeMs, ...along.args];
    const [kind, ...rest] = (await takeScript.run(this.redis, keys, args)) as [string, ...unknown[]];
    switch (kind) {
      case 'F':
        return { kind: 'superseded' };
      case 'R':
        return { kind: 'rolledBack', fence: String(rest[0]) };
      case 'N':
        return { kind: 'tooEarly', ms: Number(rest[0]), isThrottled: rest[1] === 1 };
      case 'E':
        return { kind: 'released' };
      default: {
        const [state, now, ...rows] = rest as [string, number, ...string[]];
        this.now = now;
        return { kind: 'deliveries', state, now, deliveries: rows.map(parseDelivery) };
      }
    }
  }

  /** @returns -1 superseded; ms until a permit may be had; 0 done */
  private async marked(row: OutboxRow, state: DeliveryState, holdMs: number, along: PermitRequest): Promise<number> {
    const { key, fence } = this.claim;
    const keys = [this.k.conversation(key), this.receipt(row), this.due, ...along.keys];
    const args = [fence, state, this.ages.receiptTtlMs, Math.ceil(holdMs), key, ...along.args];
    return Number(await markScript.run(this.redis, keys, args));
  }

  /** As take-deliveries.lua judges it. */
  private maySend({ state, now, deliveries }: Extract<DeliveryTake, { kind: 'deliveries' }>): boolean {
    return !state.startsWith('f') && now - (deliveries[0]?.row.at ?? 0) <= this.ages.maxAgeMs;
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
