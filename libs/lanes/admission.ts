import type { WorkClass } from '#contracts';
import type { SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { Lane } from './lane.js';

/** 0 = no limit. */
export interface FleetLimits {
  /** Turns in work at once, over all runners. */
  concurrency: number;
  /** Turns begun per second, over all runners. */
  turnsPerSecond: number;
}

export interface Candidate {
  claim: Claim<SessionKey>;
  tenant: string;
  class: WorkClass;
  /** It has an open journal: goes to the head of its queue. */
  resumes: boolean;
}

export type Admitted = { kind: 'go' } | { kind: 'queued' } | { kind: 'wait'; ms: number };

type Operation = 'admit' | 'renew' | 'free' | 'pump' | 'charge' | 'refund';

/** A slot whose runner died is free again after this; a living one renews it. */
const SLOT_TTL_MS = 30_000;
const RESERVATION_MS = 5_000;
const REFRESH_MS = 1_000;
/** BullMQ's own limits stay as an outer belt that Bull Board shows; they count activations, also those that only queue for a slot. */
const BELT_FACTOR = 4;

const admitScript = loadScript(import.meta.dirname, 'admit', 'fence', 'time');

/**
 * The one place that decides how many turns run (protocol 2.4). Limits live in Redis, so a change holds for every runner at
 * once. Without limits it costs no round trip.
 */
export class Admission {
  private limits: FleetLimits = { concurrency: 0, turnsPerSecond: 0 };
  private readonly held = new Map<SessionKey, Candidate>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
  ) {}

  /** Follows changes of the limits and renews the slots of this process, until `stop`. */
  async start(): Promise<void> {
    await this.refresh();
    this.timers.push(setInterval(() => void this.refresh().catch(() => undefined), REFRESH_MS));
    this.timers.push(setInterval(() => void this.renew().catch(() => undefined), SLOT_TTL_MS / 3));
    for (const timer of this.timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  get current(): FleetLimits {
    return this.limits;
  }

  /**
   * The limits of a configuration, once for each configuration: a runner that starts later, or a reload that changed something
   * else, does not undo what was set while the fleet ran.
   */
  async configure(limits: FleetLimits): Promise<void> {
    const configured = JSON.stringify([limits.concurrency, limits.turnsPerSecond]);
    if ((await this.redis.hget(this.key('settings'), 'configured')) === configured) return;
    await this.setLimits(limits);
    await this.redis.hset(this.key('settings'), { configured });
  }

  /** Sets the limits of the whole fleet, while it runs. */
  async setLimits(limits: FleetLimits): Promise<void> {
    await this.redis.hset(this.key('settings'), { concurrency: limits.concurrency, rate: limits.turnsPerSecond });
    for (const queue of this.lane.activationQueues) {
      if (limits.concurrency > 0) await queue.setGlobalConcurrency(limits.concurrency * BELT_FACTOR);
      else await queue.removeGlobalConcurrency();
    }
    await this.refresh();
    await this.call('pump');
  }

  /** Asks for a slot. `queued`: the activation ends, and whoever frees a slot activates the key again. */
  async admit(candidate: Candidate): Promise<Admitted> {
    if (this.unlimited) return { kind: 'go' };
    const admitted = await this.call('admit', candidate);
    if (admitted.kind === 'go') this.held.set(candidate.claim.key, candidate);
    return admitted;
  }

  /** One more turn of an admitted activation: counts against the rate. */
  async charge(): Promise<Admitted> {
    return this.limits.turnsPerSecond > 0 ? this.call('charge') : { kind: 'go' };
  }

  /** Gives the slot back and lets the next one in. `charged: false` when the turn charged last was not run after all. */
  async free(candidate: Candidate, charged: boolean): Promise<void> {
    if (!this.held.delete(candidate.claim.key)) return;
    if (!charged && this.limits.turnsPerSecond > 0) await this.call('refund');
    await this.call('free', candidate);
  }

  /** Hands out the slots of runners that died; called by the sweeper. */
  async pump(): Promise<void> {
    if (!this.unlimited) await this.call('pump');
  }

  /** Whether a key waits for a slot, or has one: then it is not stranded. */
  async knows(key: SessionKey): Promise<boolean> {
    if (this.unlimited) return false;
    const [queued, slot] = await Promise.all([
      this.redis.hexists(this.key('queued'), key),
      this.redis.zscore(this.key('run'), key),
    ]);
    return queued === 1 || slot !== null;
  }

  private get unlimited(): boolean {
    return this.limits.concurrency === 0 && this.limits.turnsPerSecond === 0;
  }

  private async refresh(): Promise<void> {
    const [concurrency, rate] = await this.redis.hmget(this.key('settings'), 'concurrency', 'rate');
    const before = this.unlimited;
    this.limits = { concurrency: Number(concurrency ?? 0), turnsPerSecond: Number(rate ?? 0) };
    // Keys that queued while there was a limit would wait for ever once it is gone.
    if (!before && this.unlimited) await this.call('pump');
  }

  private async renew(): Promise<void> {
    await Promise.all([...this.held.values()].map((candidate) => this.call('renew', candidate)));
  }

  private async call(operation: Operation, candidate?: Candidate): Promise<Admitted> {
    const keys = ['run', 'own', 'count', 'waiting', 'queued', 'weights', 'settings', 'rate'].map((name) => this.key(name));
    const about = candidate
      ? [candidate.claim.key, candidate.claim.fence, candidate.tenant, candidate.class, candidate.resumes ? 1 : 0]
      : ['', '', '', '', 0];
    const args = [operation, this.key('queue:'), SLOT_TTL_MS, RESERVATION_MS, ...about];
    const [answer, ms, ...activate] = (await admitScript.run(this.redis, keys, args)) as [string, number, ...SessionKey[]];
    await Promise.all(activate.map((key) => this.lane.activate(key)));
    if (answer === 'wait') return { kind: 'wait', ms };
    return { kind: answer === 'queued' ? 'queued' : 'go' };
  }

  private key(name: string): string {
    return this.keyspace.limits(name);
  }
}
