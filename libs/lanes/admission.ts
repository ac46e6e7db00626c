import type { WorkClass } from '#contracts';
import type { SessionKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';
import { SLOT_TTL_MS, type AdmissionScript, type Admitted, type Candidate } from './admission-script.js';

interface Running {
  candidate: Candidate;
  /** Whether a slot was asked for: not while there are no limits. */
  hasSlot: boolean;
  isRated: boolean;
}

const REFRESH_MS = 1_000;
/** Of a process's turns, so much is left for activations that only queue: else the queue of activations would decide who is next. */
const SORTING_SHARE = 0.1;

/**
 * What a runner asks before it works (protocol 2.4). Without limits it costs no round trip; with them one for an activation,
 * and one more for each further turn that a rate counts.
 */
export class Admission {
  private isLimited = false;
  private readonly running = new Map<SessionKey, Running>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly script: AdmissionScript,
  ) {}

  /**
   * Follows changes of the limits and renews the slots of this process, until `stop`.
   * @param runner a name no other process has  @param concurrency claims this process works on at once
   */
  async start(runner: string, concurrency: number): Promise<void> {
    const capacity = Math.max(1, concurrency - Math.ceil(concurrency * SORTING_SHARE));
    await this.refresh(runner, capacity);
    this.timers.push(setInterval(() => void this.refresh(runner, capacity).catch(() => undefined), REFRESH_MS));
    this.timers.push(setInterval(() => void this.renew().catch(() => undefined), SLOT_TTL_MS / 3));
    for (const timer of this.timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.script.stop();
  }

  /** Asks for a slot, and puts the key in its line when there is none. */
  async admit(candidate: Candidate): Promise<Admitted> {
    const { key } = candidate.claim;
    if (!this.isLimited) {
      this.running.set(key, { candidate, hasSlot: false, isRated: false });
      return 'go';
    }
    const [{ admitted, isRated }, workClass] = await Promise.all([
      this.script.about('admit', candidate),
      this.redis.hget(this.keyspace.head(key), 'cls'),
    ]);
    if (admitted === 'go') this.running.set(key, { candidate, hasSlot: true, isRated });
    else if (workClass) await this.script.about('refile', candidate, 0, workClass as WorkClass);
    return admitted;
  }

  /** One more turn of an admitted activation. `queued`: others are first. @param turns run so far */
  async charge({ claim: { key } }: Candidate, turns: number): Promise<Admitted> {
    const running = this.running.get(key);
    if (!running?.isRated) return 'go';
    return (await this.script.about('charge', running.candidate, turns)).admitted;
  }

  /** Gives the slot back and lets the next one in. @param turns run; a turn that was charged and not run is paid back */
  async free(candidate: Candidate, turns: number): Promise<void> {
    const { key, fence } = candidate.claim;
    const running = this.running.get(key);
    if (running?.candidate.claim.fence !== fence) return;
    this.running.delete(key);
    if (running.hasSlot) await this.script.about('free', candidate, turns);
  }

  /** Hands out the slots of runners that died; called by the sweeper. */
  async pump(): Promise<void> {
    await this.script.call('pump');
  }

  /** Whether a key waits for a slot, or has one: then it is not stranded. */
  async knows(key: SessionKey): Promise<boolean> {
    const [queued, slot] = await Promise.all([
      this.redis.hexists(this.keyspace.limits('queued'), key),
      this.redis.zscore(this.keyspace.limits('run'), key),
    ]);
    return queued === 1 || slot !== null;
  }

  private async refresh(runner: string, capacity: number): Promise<void> {
    const wasLimited = this.isLimited;
    this.isLimited = (await this.redis.hexists(this.keyspace.limits('limits'), 'on')) === 1;
    if (this.isLimited && !wasLimited) await this.adopt();
    if (this.isLimited) await this.script.beat(runner, capacity);
    // Keys that queued while there was a limit would wait for ever once it is gone.
    else if (wasLimited) await this.script.call('pump');
  }

  /** What began while there were no limits counts from now on. */
  private async adopt(): Promise<void> {
    const unknown = [...this.running.values()].filter(({ hasSlot }) => !hasSlot);
    await Promise.all(
      unknown.map(async (running) => {
        running.hasSlot = true;
        await this.script.about('adopt', running.candidate);
      }),
    );
  }

  private async renew(): Promise<void> {
    const held = [...this.running.values()].filter(({ hasSlot }) => hasSlot);
    await Promise.all(held.map(({ candidate }) => this.script.about('renew', candidate)));
  }
}
