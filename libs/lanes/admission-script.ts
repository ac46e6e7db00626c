import type { WorkClass } from '#contracts';
import type { SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { Lane } from './lane.js';

export interface Candidate {
  claim: Claim<SessionKey>;
  tenant: string;
  agent: string;
  /** It has an open journal: goes to the head of its queue. */
  resumes: boolean;
}

/** `queued`: the activation ends, and whoever frees a slot activates the key again. */
export type Admitted = 'go' | 'queued';

export interface AdmitReply {
  admitted: Admitted;
  /** Each turn of this key is counted by some rate. */
  isRated: boolean;
}

type Operation = 'admit' | 'charge' | 'free' | 'refile' | 'renew' | 'adopt' | 'pump' | 'change' | 'beat';

/** A slot whose runner died is free again after this; a living one renews it. */
export const SLOT_TTL_MS = 30_000;
/** Whoever was let in and not activated within this is activated again: who let it in has died. */
const RESERVATION_MS = 3_000;
/** One wake-up may let many in at a high rate. */
const SHORTEST_WAIT_MS = 5;
const KEYS = [
  'run',
  'own',
  'count',
  'waiting',
  'queued',
  'limits',
  'ready',
  'later',
  'tags',
  'state',
  'lines',
  'runners',
  'since',
];

const admitScript = loadScript(import.meta.dirname, 'admit', 'fence', 'time');

/** admit.lua, and what follows from its answers: those let in are activated, and it is asked again when a rate allows more. */
export class AdmissionScript {
  private readonly keys: string[];
  private readonly prefix: string;
  private timer: NodeJS.Timeout | undefined;
  private wakesAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    keyspace: Keyspace,
  ) {
    this.keys = KEYS.map((name) => keyspace.limits(name));
    this.prefix = keyspace.limits('');
  }

  /** @param turns see admit.lua */
  about(
    operation: Exclude<Operation, 'pump' | 'change' | 'beat'>,
    { claim, tenant, agent, resumes }: Candidate,
    turns = 0,
    workClass: WorkClass = 'interactive',
  ): Promise<AdmitReply> {
    return this.run(operation, [claim.key, claim.fence, tenant, agent, workClass, resumes ? 1 : 0, turns]);
  }

  async call(operation: 'pump' | 'change'): Promise<void> {
    await this.run(operation, ['', '', '', '', '', 0, 0]);
  }

  /** A runner is there, with room for so many turns. */
  async beat(runner: string, capacity: number): Promise<void> {
    await this.run('beat', [`${runner}|${capacity}`, '', '', '', '', 0, 0]);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.wakesAt = Number.NEGATIVE_INFINITY;
  }

  private async run(operation: Operation, about: (string | number)[]): Promise<AdmitReply> {
    const args = [operation, this.prefix, SLOT_TTL_MS, RESERVATION_MS, ...about];
    const reply = (await admitScript.run(this.redis, this.keys, args)) as [string, number, number, ...SessionKey[]];
    const [answer, moreInMs, isRated, ...letIn] = reply;
    if (moreInMs >= 0) this.askAgainIn(moreInMs);
    await Promise.all(letIn.map((key) => this.lane.activateFirst(key)));
    return { admitted: answer === 'queued' ? 'queued' : 'go', isRated: isRated === 1 };
  }

  private askAgainIn(ms: number): void {
    const wait = Math.max(SHORTEST_WAIT_MS, ms);
    const at = performance.now() + wait;
    if (this.wakesAt <= at) return;
    clearTimeout(this.timer);
    this.wakesAt = at;
    this.timer = setTimeout(() => {
      this.wakesAt = Number.POSITIVE_INFINITY;
      this.call('pump').catch(() => undefined);
    }, wait);
    this.timer.unref();
  }
}
