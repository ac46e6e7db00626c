import type { ConversationKey, OutboxRowId, SessionKey } from '#kernel';
import type { OutboxRow } from '#contracts';
import { loadScript, redisTime, type Bucket, type Keyspace, type RedisClient } from '#redis';
import type { Admission } from './admission.js';
import type { Lane, LaneKey } from './lane.js';
import type { Relay } from './relay.js';

/** mail and rows: stranded, a bug that the sweeper heals. stale and finalRows: leftovers of a process that died in between. */
export interface SweepFindings {
  mail: number;
  rows: number;
  stale: number;
  finalRows: number;
  /** The first keys that were stranded. */
  keys: string[];
}

const MOST_KEYS = 10;

type Verdict = 'gone' | 'active' | 'mail' | 'rows' | 'open' | 'stale';

const sweepScript = loadScript(import.meta.dirname, 'sweep');

/** The safety net: looks through `busy` for keys that have work and no activation. It should find nothing (protocol 2.12). */
export class Sweeper {
  constructor(
    private readonly redis: RedisClient,
    private readonly turns: Lane,
    private readonly deliveries: Lane,
    private readonly relay: Relay,
    private readonly admission: Admission,
    private readonly keyspace: Keyspace,
    private readonly conversationOf: (row: OutboxRow) => ConversationKey,
  ) {}

  /** Sweeps unless another process did within `everyMs`. @param olderThanMs see `sweep` */
  async sweepInTurn(everyMs: number, olderThanMs: number): Promise<SweepFindings | undefined> {
    const mine = await this.redis.set(this.keyspace.limits('sweeper'), process.pid, 'PX', Math.ceil(everyMs * 0.9), 'NX');
    return mine ? this.sweep(olderThanMs) : undefined;
  }

  /** @param olderThanMs keys that became busy later than this are left alone. */
  async sweep(olderThanMs: number): Promise<SweepFindings> {
    await this.admission.pump();
    const due = (await redisTime(this.redis)) - olderThanMs;
    const found: SweepFindings = { mail: 0, rows: 0, stale: 0, finalRows: 0, keys: [] };
    for (const lane of [this.turns, this.deliveries]) {
      for (const bucket of this.keyspace.buckets) await this.sweepBucket(lane, bucket, due, found);
    }
    return found;
  }

  private async sweepBucket(lane: Lane, bucket: Bucket, due: number, found: SweepFindings): Promise<void> {
    for (const key of await this.redis.zrangebyscore(this.keyspace.busy(lane.name, bucket), '-inf', due)) {
      const verdict = await this.judge(lane, bucket, key, due);
      if (verdict === 'open') found.finalRows += await this.dropFinalRows(key as SessionKey);
      if (verdict === 'stale') found.stale++;
      if (verdict !== 'mail' && verdict !== 'rows') continue;
      if (lane === this.turns && (await this.admission.knows(key as SessionKey))) continue;
      found[verdict]++;
      if (found.keys.length < MOST_KEYS) found.keys.push(key);
      await lane.activate(key as LaneKey);
    }
  }

  private async judge(lane: Lane, bucket: Bucket, key: string, due: number): Promise<Verdict> {
    const k = this.keyspace;
    const turns = lane === this.turns;
    const work = turns
      ? [
          k.head(key as SessionKey),
          k.mailbox(key as SessionKey, 'wait'),
          k.mailbox(key as SessionKey, 'active'),
          k.journal(key as SessionKey),
          k.outbox(key as SessionKey),
        ]
      : [k.conversation(key as ConversationKey), k.deliveries(key as ConversationKey)];
    const keys = [k.busy(lane.name, bucket), k.activation(lane.name, bucket, `de:${key}`), ...work];
    return (await sweepScript.run(this.redis, keys, [key, k.activation(lane.name, bucket, ''), due, turns ? 1 : 0])) as Verdict;
  }

  /** Rows whose dispatcher died between making the receipt final and deleting them. */
  private async dropFinalRows(session: SessionKey): Promise<number> {
    const flat = await this.redis.zrangebyscore(this.keyspace.outbox(session), '-inf', '+inf', 'WITHSCORES');
    let dropped = 0;
    for (let index = 0; index < flat.length; index += 2) {
      const row = JSON.parse(flat[index] ?? '') as OutboxRow;
      const state = await this.redis.get(this.keyspace.receipt(this.conversationOf(row), row.id as OutboxRowId));
      if (!state?.startsWith('f')) continue;
      await this.relay.done(session, Number(flat[index + 1]));
      dropped++;
    }
    return dropped;
  }
}
