import { expect } from 'vitest';
import type { z } from 'zod';
import { limitsSchema, type LimitsConfig } from '#config';
import type { SessionKey } from '#kernel';
import type { Candidate } from '#lanes';
import { LanesWorld, openLanes } from './lanes-world.js';

type Lanes = LanesWorld['platform'];

/** Two runners on a Redis of the test's own that ask for slots by hand; who is let in stays in the queue of activations. */
export class AdmissionWorld {
  private constructor(
    readonly world: LanesWorld,
    readonly one: Lanes,
    readonly two: Lanes,
  ) {}

  static async open(): Promise<AdmissionWorld> {
    const world = await LanesWorld.open();
    return new AdmissionWorld(world, world.platform, await openLanes(world.redis.url));
  }

  async close(): Promise<void> {
    await this.two.close();
    await this.world.close();
  }

  /** Puts limits in force, on two runners that can work on so much each. */
  async limited(limits: z.input<typeof limitsSchema>, concurrency = 1000): Promise<void> {
    await this.setLimits(limits);
    await Promise.all([this.one, this.two].map(({ admission, turns }) => admission.start(turns.nonce, concurrency)));
  }

  setLimits(limits: z.input<typeof limitsSchema>): Promise<LimitsConfig> {
    return this.one.limits.change(() => limitsSchema.parse(limits));
  }

  /** Keys that were activated, i.e. let in, oldest first. */
  async activated(): Promise<string[]> {
    const jobs = (await this.one.turns.activationQueues[0]?.getJobs(['wait'])) ?? [];
    return jobs.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ data }) => (data as { key: string }).key);
  }

  /** Who of these gets in at once. */
  async letIn(candidates: readonly Candidate[]): Promise<string[]> {
    const answers: string[] = [];
    for (const each of candidates) answers.push(await this.one.admission.admit(each));
    return candidates.filter((_, n) => answers[n] === 'go').map(({ claim }) => claim.key);
  }

  /** Everybody queues behind one slot; then it is handed on and on. @returns the order in which they came in */
  async orderOf(waiting: readonly Candidate[]): Promise<string[]> {
    const { admission } = this.one;
    await this.limited({ fleet: { concurrency: 1 } });
    const holder = candidate('holder', { tenant: 'nobody' });
    expect(await this.letIn([holder, ...waiting])).toEqual(['holder']);
    await admission.free(holder, 1);
    await this.runThrough(waiting, waiting.length);
    return this.activated();
  }

  /** The first `count` that are let in run a turn each, one after the other. */
  async runThrough(waiting: readonly Candidate[], count: number): Promise<void> {
    const { admission } = this.one;
    const byKey = new Map<string, Candidate>(waiting.map((each) => [each.claim.key, each]));
    for (let n = 0; n < count; n++) {
      const next = byKey.get((await this.activated())[n] ?? '') ?? expect.fail('nobody was let in');
      expect(await admission.admit(next)).toBe('go');
      await admission.free(next, 1);
    }
  }
}

export function candidate(key: string, { tenant = 'acme', agent = 'main', fence = '1.1.a', resumes = false } = {}): Candidate {
  const signal = new AbortController().signal;
  return { claim: { key: key as SessionKey, fence, activationId: '1', token: 'x', signal }, tenant, agent, resumes };
}

/** `<tenant>-<agent>-<n>` */
export function candidates(tenant: string, count: number, agent = 'main'): Candidate[] {
  return Array.from({ length: count }, (_, n) => candidate(`${tenant}-${agent}-${n}`, { tenant, agent }));
}
