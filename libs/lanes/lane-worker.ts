import { DelayedError, WaitingError, Worker, type Job } from 'bullmq';
import type { Keyspace, RedisClient } from '#redis';
import type { Claim, ClaimEnd } from './claim.js';
import type { Lane, LaneKey } from './lane.js';

export interface LaneWorkerSettings {
  /** Claims in work at once, over all buckets of this process. */
  concurrency: number;
  /** Life of a claim without renewal, ms; BullMQ renews it at half. */
  lockMs: number;
  /** How often lost claims are looked for, ms. A killed process's keys go on after at most lockMs + 2 of these. */
  stalledCheckMs: number;
}

const IDLE_POLL_S = 1;

/** Runs the activations of one lane: an ordinary BullMQ worker per bucket, sharing one budget of concurrency. */
export class LaneWorker<K extends LaneKey> {
  private readonly workers: Worker[];
  private readonly perWorker = new Map<Worker, number>();
  private running = 0;

  constructor(
    private readonly lane: Lane,
    redis: RedisClient,
    keyspace: Keyspace,
    private readonly settings: LaneWorkerSettings,
    private readonly run: (claim: Claim<K>) => Promise<ClaimEnd>,
    onError: (error: Error) => void,
  ) {
    this.workers = keyspace.buckets.map((bucket) => {
      const worker: Worker = new Worker(lane.name, (job, token, signal) => this.process(worker, job, token, signal), {
        connection: redis,
        prefix: keyspace.prefix(bucket),
        concurrency: settings.concurrency,
        lockDuration: settings.lockMs,
        stalledInterval: settings.stalledCheckMs,
        // A claim that died is always run again; poison is judged by message (protocol 2.8).
        maxStalledCount: Number.MAX_SAFE_INTEGER,
        removeOnComplete: { count: 0 },
        drainDelay: IDLE_POLL_S,
      });
      worker.on('lockRenewalFailed', (ids) => ids.forEach((id) => worker.cancelJob(id, 'lease lost')));
      worker.on('error', onError);
      return worker;
    });
  }

  get active(): number {
    return this.running;
  }

  async ready(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.waitUntilReady()));
  }

  /** Fetches nothing more and waits for the claims in work. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close()));
  }

  private async process(worker: Worker, job: Job<{ key: K }>, token = '', signal = new AbortController().signal): Promise<void> {
    this.count(worker, 1);
    let end: ClaimEnd;
    try {
      const fence = `${job.id}.${job.attemptsStarted}.${this.lane.nonce}`;
      end = await this.run({ key: job.data.key, fence, activationId: String(job.id), token, signal });
    } finally {
      this.count(worker, -1);
    }
    if (end.kind === 'handBack') {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    if (end.kind === 'later') {
      await job.moveToDelayed(Date.now() + end.ms, token);
      await end.recheck?.();
      throw new DelayedError();
    }
  }

  /** With several buckets, each worker may fetch what the whole process has left (BullMQ wants at least 1). */
  private count(worker: Worker, change: 1 | -1): void {
    this.running += change;
    this.perWorker.set(worker, (this.perWorker.get(worker) ?? 0) + change);
    if (this.workers.length === 1) return;
    const free = this.settings.concurrency - this.running;
    for (const each of this.workers) each.concurrency = Math.max(1, (this.perWorker.get(each) ?? 0) + free);
  }
}
