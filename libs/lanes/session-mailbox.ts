import type { MinimalJob, RedisQueueBackend } from 'bullmq';
import { ENVELOPE_VERSION, type DropPolicy } from '#contracts';
import { LeaseLostError, type MessageId, type SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { Lane } from './lane.js';
import { parseTake, type Take } from './take-reply.js';

export interface MailboxSettings {
  /** Crashes of its process that make a message a dead letter (protocol 2.8). */
  crashesAllowed: number;
}

export interface TakeRequest {
  /** Most messages of one turn. */
  most: number;
  /** Turns of the transcript to return with the messages; 0 when the caller has them. */
  history: number;
  /** Messages that may wait, 0 = unlimited; what is more is taken as a turn that drops them. */
  cap?: number;
  drop?: DropPolicy;
  /** Highest outbox number relayed by this claim. */
  relayed?: number | undefined;
  /** Messages whose turn this claim has committed: they leave the mailbox in the same call. */
  ended?: readonly MessageId[];
}

/** A message lock is a fence, not a lease: it is never renewed and outlives any turn. */
const MESSAGE_LOCK_MS = 7 * 86_400_000;
const QUEUE_KEYS = [
  'failed',
  'delayed',
  'prioritized',
  'completed',
  'meta',
  'id',
  'events',
  'marker',
  'stalled',
  'stalled-check',
  'pc',
];
const NOT_ACTIVE_ANY_MORE = -1;

const takeScript = loadScript(import.meta.dirname, 'take', 'fence', 'time', 'ring');
const holdScript = loadScript(import.meta.dirname, 'hold', 'time');
const ackScript = loadScript(import.meta.dirname, 'ack');
const suspectScript = loadScript(import.meta.dirname, 'suspect');

/** One claimed mailbox: every call is fenced by the claim. */
export class SessionMailbox {
  private readonly box: RedisQueueBackend;
  private readonly prefix: string;

  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
    private readonly settings: MailboxSettings,
    private readonly claim: Claim<SessionKey>,
  ) {
    this.box = lane.sibling(keyspace.bucketOf(claim.key), keyspace.mailboxName(claim.key));
    this.prefix = keyspace.mailbox(claim.key, '');
  }

  /** Claims the session and returns its next turn; an empty mailbox is released by the same call. */
  take(request: TakeRequest): Promise<Take> {
    return this.run('claim', request);
  }

  /** Pops messages that want to join the running turn, and may (QU-2); journalled by the same write. */
  takeMore(most: number): Promise<Take> {
    return this.run('more', { most, history: 0 });
  }

  /** Ends messages whose turn is committed, when nothing more is taken; take does the same for its `ended`. Throws LeaseLostError. */
  async ack(ids: readonly MessageId[]): Promise<void> {
    const keys = [this.keyspace.head(this.claim.key), this.keyspace.mailbox(this.claim.key, 'active')];
    const done = await ackScript.run(this.redis, keys, [this.claim.fence, this.prefix, ...ids]);
    if (done !== 1) throw new LeaseLostError(this.claim.key, 'ack');
  }

  /** Moves a message to the mailbox's failed state: a dead letter that Bull Board shows. @returns false when its job is gone */
  async bury(id: MessageId, reason: string): Promise<boolean> {
    const args = this.box.moveToFailedArgs(messageJob(id), reason, false, this.claim.fence, false);
    const code = (await this.box.execCommand(this.lane.client, 'moveToFinished', args)) as number;
    if (code < 0 && code !== NOT_ACTIVE_ANY_MORE) throw new LeaseLostError(this.claim.key, `bury ${code}`);
    return code >= 0;
  }

  /** Marks what is in flight as released, so that handing it back is no crash, and sets notBefore. @returns false when superseded. */
  async hold(ms: number, why: 'limit' | 'backoff' | 'drain' | 'suspect'): Promise<boolean> {
    const { key } = this.claim;
    const keys = [
      this.keyspace.head(key),
      this.keyspace.mailbox(key, 'active'),
      this.keyspace.due(this.lane.name, this.keyspace.bucketOf(key)),
    ];
    return (
      (await holdScript.run(this.redis, keys, [this.claim.fence, this.prefix, Math.ceil(ms), why, MESSAGE_LOCK_MS, key])) === 1
    );
  }

  /** Locks what is in flight again for a turn under suspicion of killing its process. @returns false when superseded. */
  async suspect(runs: 'alone' | 'company' | 'cleared'): Promise<boolean> {
    const keys = [this.keyspace.head(this.claim.key), this.keyspace.mailbox(this.claim.key, 'active')];
    return (await suspectScript.run(this.redis, keys, [this.claim.fence, this.prefix, runs, MESSAGE_LOCK_MS])) === 1;
  }

  /** Puts the activation's wake-up forward if notBefore was cleared while it was being delayed. */
  async recheck(): Promise<void> {
    if ((await this.redis.hget(this.keyspace.head(this.claim.key), 'nb')) !== null) return;
    await this.lane.promote(this.keyspace.bucketOf(this.claim.key), this.claim.activationId);
  }

  private async run(how: 'claim' | 'more', request: TakeRequest): Promise<Take> {
    const { claim, settings } = this;
    const args = [
      this.prefix,
      claim.fence,
      request.most,
      how,
      request.relayed ?? '',
      `r${process.pid}`,
      ENVELOPE_VERSION,
      claim.token,
      claim.key,
      MESSAGE_LOCK_MS,
      settings.crashesAllowed,
      settings.crashesAllowed - 1,
      request.history,
      request.cap ?? 0,
      request.drop ?? 'old',
      ...(request.ended ?? []),
    ];
    return parseTake(await takeScript.run(this.redis, this.takeKeys(), args));
  }

  private takeKeys(): string[] {
    const { key, activationId } = this.claim;
    const k = this.keyspace;
    const bucket = k.bucketOf(key);
    const lane = this.lane.name;
    return [
      ...['wait', 'active'].map((suffix) => k.mailbox(key, suffix)),
      k.head(key),
      k.journal(key),
      k.outbox(key),
      k.busy(lane, bucket),
      k.activation(lane, bucket, `dn:${key}`),
      k.seen(key),
      k.transcript(key),
      k.due(lane, bucket),
      this.lane.lockKey(key, activationId),
      k.catalog(bucket),
      ...QUEUE_KEYS.map((suffix) => k.mailbox(key, suffix)),
    ];
  }
}

/** BullMQ's argument builders read the id and the attempts of a job, nothing else. */
function messageJob(id: MessageId): MinimalJob {
  const job: Partial<MinimalJob> = { id, opts: { attempts: 1 } };
  return job as MinimalJob;
}
