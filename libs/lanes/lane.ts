import { randomBytes } from 'node:crypto';
import { Queue, type JobJson, type JobsOptions, type RedisClient as WrappedClient, type RedisQueueBackend } from 'bullmq';
import type { ConversationKey, SessionKey } from '#kernel';
import { loadScript, type Bucket, type Keyspace, type RedisClient } from '#redis';
import type { GuardedTransaction } from './guarded-multi.js';

export type LaneName = 'turns' | 'deliveries';
export type LaneKey = SessionKey | ConversationKey;

const floorScript = loadScript(import.meta.dirname, 'floor', 'time');
const wakeInScript = loadScript(import.meta.dirname, 'wake-in', 'time');
const dueScript = loadScript(import.meta.dirname, 'due', 'time');
const firstScript = loadScript(import.meta.dirname, 'first');

/** Failures of an activation are decided by the turn or delivery it runs, never by BullMQ counting attempts. */
const UNLIMITED_ATTEMPTS = 1e9;
const RETRY_DELAY_MS = 200;

/**
 * The activation half of a lane: one BullMQ queue per bucket whose jobs say "this key has mail". At most one job per key
 * exists; adding one while it runs makes exactly one follow-up when it ends (`keepLastIfActive`), so no wake-up is lost.
 *
 * All adds of a key are byte-identical, without delay or priority: differing ones overwrite each other (protocol 2).
 */
export class Lane {
  /** Tells two workers apart that hold the same activation id and attempt after a rolled-back counter. */
  readonly nonce = randomBytes(4).toString('hex');
  private readonly queues: Queue[];
  private wrapped: WrappedClient | undefined;

  constructor(
    readonly name: LaneName,
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {
    this.queues = keyspace.buckets.map((bucket) => {
      const queue = new Queue(name, { connection: redis, prefix: keyspace.prefix(bucket), streams: { events: { maxLen: 100 } } });
      queue.on('error', () => undefined);
      return queue;
    });
    // Whatever Redis is there after a reconnect (restarted, failed over, emptied), fences must not go back.
    redis.on('ready', () => void this.raiseFloors().catch(() => undefined));
  }

  async ready(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.waitUntilReady()));
    this.wrapped = await this.queues[0]?.getBackend().client;
    await this.raiseFloors();
  }

  /** For Bull Board and metrics. */
  get activationQueues(): readonly Queue[] {
    return this.queues;
  }

  backend(bucket: Bucket): RedisQueueBackend {
    const queue = this.queues[bucket];
    if (!queue) throw new Error(`Bucket ${bucket} is not one of ${this.keyspace.bucketCount}`);
    return queue.getBackend();
  }

  /** A handle on another queue of the same bucket: no connection, no command. */
  sibling(bucket: Bucket, queue: string): RedisQueueBackend {
    return this.backend(bucket).forQueue(queue) as RedisQueueBackend;
  }

  /** BullMQ's wrapped client of the lane's connection, on which its scripts are defined. */
  get client(): WrappedClient {
    if (!this.wrapped) throw new Error(`Lane ${this.name} is used before ready()`);
    return this.wrapped;
  }

  /** Adds the activation of `key` to a guarded MULTI. Errors surface in the replies of its EXEC. */
  addTo(transaction: GuardedTransaction, key: LaneKey): void {
    this.backend(this.keyspace.bucketOf(key))
      .addJobToTransaction(transaction, activationOf(key), '')
      .catch(() => undefined);
  }

  async activate(key: LaneKey): Promise<void> {
    await this.backend(this.keyspace.bucketOf(key)).addJob(activationOf(key), '');
  }

  /** Activates `key` before all that wait: it has a slot already, and most of them only ask for one. */
  async activateFirst(key: LaneKey): Promise<void> {
    await this.activate(key);
    const bucket = this.keyspace.bucketOf(key);
    const keys = [this.keyspace.activation(this.name, bucket, `de:${key}`), this.keyspace.activation(this.name, bucket, 'wait')];
    await firstScript.run(this.redis, keys, []);
  }

  /** Lets a delayed activation run now; nothing happens when it is not delayed any more. */
  async promote(bucket: Bucket, activationId: string): Promise<void> {
    await this.backend(bucket)
      .promote(activationId)
      .catch(() => undefined);
  }

  /** The activation's lock: whoever holds it is the owner as far as BullMQ knows. */
  lockKey(key: LaneKey, activationId: string): string {
    return this.keyspace.activation(this.name, this.keyspace.bucketOf(key), `${activationId}:lock`);
  }

  /** A claim found a newer fence in the head while its own lock is valid: the id counter had been rolled back. */
  async raiseFloorAbove(key: LaneKey, fence: string): Promise<void> {
    const least = Number(fence.split('.')[0]);
    await floorScript.run(this.redis, [this.keyspace.activation(this.name, this.keyspace.bucketOf(key), 'id')], [least]);
  }

  /** Also wakes `key` in `ms` by the clock of Redis; whoever delays its activation says so here. */
  async wakeIn(key: LaneKey, ms: number): Promise<void> {
    await wakeInScript.run(this.redis, [this.keyspace.due(this.name, this.keyspace.bucketOf(key))], [key, Math.ceil(ms)]);
  }

  /** Every process, once a second: no wake-up depends on the clock of the host that delayed it (protocol 2.9). */
  async wakeDue(): Promise<void> {
    for (const bucket of this.keyspace.buckets) {
      const keys = [this.keyspace.due(this.name, bucket), this.keyspace.activation(this.name, bucket, 'delayed')];
      const ids = (await dueScript.run(this.redis, keys, [this.keyspace.activation(this.name, bucket, 'de:')])) as string[];
      for (const id of ids) await this.promote(bucket, id);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close().catch(() => undefined)));
  }

  private async raiseFloors(): Promise<void> {
    await Promise.all(
      this.keyspace.buckets.map((bucket) =>
        floorScript.run(this.redis, [this.keyspace.activation(this.name, bucket, 'id')], ['']),
      ),
    );
  }
}

/** A job as BullMQ's backend takes it; `data` is JSON text. */
export function newJob(name: string, data: string, opts: JobsOptions, timestamp = 0): JobJson {
  return {
    id: '',
    name,
    data,
    opts,
    timestamp,
    progress: 0,
    attemptsMade: 0,
    attemptsStarted: 0,
    failedReason: '',
    returnvalue: '',
    stalledCounter: 0,
  };
}

function activationOf(key: LaneKey): JobJson {
  const opts: JobsOptions = {
    removeOnComplete: true,
    attempts: UNLIMITED_ATTEMPTS,
    backoff: { type: 'fixed', delay: RETRY_DELAY_MS },
    deduplication: { id: key, keepLastIfActive: true },
  };
  return { ...newJob('activation', JSON.stringify({ key }), opts), deduplicationId: key };
}
