import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { WorkClass } from '#contracts';
import type { Candidate } from '#lanes';
import type { SessionKey } from '#kernel';
import { LanesWorld, openLanes } from './lanes-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let world: LanesWorld;
/** Another runner on the same Redis. */
let other: Awaited<ReturnType<typeof openLanes>>;
beforeEach(async () => {
  world = await LanesWorld.open();
  other = await openLanes(world.redis.url);
});
afterEach(async () => {
  await other.close();
  await world.close();
});

function candidate(
  key: string,
  { tenant = 'acme', kind = 'interactive' as WorkClass, fence = '1.1.a', resumes = false } = {},
): Candidate {
  const signal = new AbortController().signal;
  return { claim: { key: key as SessionKey, fence, activationId: '1', token: 'x', signal }, tenant, class: kind, resumes };
}

async function limited(concurrency: number, turnsPerSecond = 0): Promise<void> {
  await world.platform.admission.setLimits({ concurrency, turnsPerSecond });
  await Promise.all([world.platform.admission.start(), other.admission.start()]);
}

/** Keys that were activated, i.e. let in, oldest first. */
async function activated(): Promise<string[]> {
  const jobs = (await world.platform.turns.activationQueues[0]?.getJobs(['wait'], 0, -1, true)) ?? [];
  return jobs.map(({ data }) => (data as { key: string }).key);
}

/** Everybody queues behind one slot; then it is handed on and on. @returns the order in which they came in */
async function orderOf(waiting: readonly Candidate[]): Promise<string[]> {
  const { admission } = world.platform;
  await limited(1);
  const holder = candidate('holder', { tenant: 'nobody' });
  expect(await admission.admit(holder)).toEqual({ kind: 'go' });
  for (const each of waiting) expect(await admission.admit(each)).toEqual({ kind: 'queued' });
  const byKey = new Map<string, Candidate>(waiting.map((each) => [each.claim.key, each]));
  let current = holder;
  for (let count = 1; count <= waiting.length; count++) {
    await admission.free(current, true);
    const next = byKey.get((await activated())[count - 1] ?? '') ?? expect.fail('nobody was let in');
    expect(await admission.admit(next)).toEqual({ kind: 'go' });
    current = next;
  }
  return activated();
}

describe('concurrency', () => {
  proves(
    ['QU-1', 'G6'],
    'two runners never hold more slots than the fleet has; each one freed lets exactly one waiter in',
    async () => {
      await limited(3);
      const all = Array.from({ length: 10 }, (_, n) => candidate(`k${n}`));
      const answers = await Promise.all(all.map((each, n) => (n % 2 ? other : world.platform).admission.admit(each)));
      expect(answers.filter(({ kind }) => kind === 'go')).toHaveLength(3);
      expect(answers.filter(({ kind }) => kind === 'queued')).toHaveLength(7);
      const first = answers.findIndex(({ kind }) => kind === 'go');
      await (first % 2 ? other : world.platform).admission.free(all[first] ?? expect.fail(), true);
      expect(await activated()).toHaveLength(1);
    },
  );

  proves(['QU-1', 'G4'], 'the re-run of a killed turn takes its own slot over; the zombie can free it no more', async () => {
    await limited(1);
    const zombie = candidate('k', { fence: '1.1.a' });
    expect(await world.platform.admission.admit(zombie)).toEqual({ kind: 'go' });
    const heir = candidate('k', { fence: '1.2.b', resumes: true });
    expect(await other.admission.admit(heir)).toEqual({ kind: 'go' });
    await world.platform.admission.free(zombie, true);
    expect(await other.admission.admit(candidate('x'))).toEqual({ kind: 'queued' });
    await other.admission.free(heir, true);
    expect(await activated()).toEqual(['x']);
  });

  proves(
    ['QU-1', 'G6'],
    'the slot of a runner that died and is not renewed goes to who waits, by the clock of Redis',
    async () => {
      await limited(1);
      const { admission, work, keyspace } = world.platform;
      await admission.admit(candidate('dead'));
      expect(await other.admission.admit(candidate('waits'))).toEqual({ kind: 'queued' });
      await other.admission.pump();
      expect(await activated()).toEqual([]);
      await work.zadd(keyspace.limits('run'), 1, 'dead');
      await other.admission.pump();
      expect(await activated()).toEqual(['waits']);
    },
  );

  proves(['QU-1', 'G3'], 'a waiter whose activator died is activated again when its reservation runs out', async () => {
    await limited(1);
    const { admission, work, keyspace, turns } = world.platform;
    const holder = candidate('holder');
    await admission.admit(holder);
    await admission.admit(candidate('waits'));
    await admission.free(holder, true);
    for (const job of (await turns.activationQueues[0]?.getJobs(['wait'])) ?? []) await job.remove();
    await work.zadd(keyspace.limits('run'), 1, 'waits');
    await other.admission.pump();
    expect(await activated()).toEqual(['waits']);
  });

  proves(
    ['QU-1', 'G6'],
    'limits changed on one runner hold for all: raised lets more in at once, lifted lets all in',
    async () => {
      await limited(1);
      const { admission } = world.platform;
      for (let n = 0; n < 6; n++) await admission.admit(candidate(`k${n}`));
      expect(await activated()).toEqual([]);
      await other.admission.setLimits({ concurrency: 3, turnsPerSecond: 0 });
      expect(await activated()).toEqual(['k1', 'k2']);
      await other.admission.setLimits({ concurrency: 0, turnsPerSecond: 0 });
      expect(await activated()).toEqual(['k1', 'k2', 'k3', 'k4', 'k5']);
      await waitUntil(
        'the first runner knows',
        () => admission.current.concurrency,
        (limit) => limit === 0,
        5000,
      );
      expect(await admission.admit(candidate('k9'))).toEqual({ kind: 'go' });
    },
  );
});

describe('fairness', () => {
  proves('QU-4', 'a tenant with one waiter is let in next, however many another tenant has waiting', async () => {
    const hog = Array.from({ length: 30 }, (_, n) => candidate(`hog-${n}`, { tenant: 'hog' }));
    const order = await orderOf([...hog, candidate('small', { tenant: 'small' })]);
    expect(order.indexOf('small')).toBeLessThanOrEqual(1);
    expect(order.filter((key) => key !== 'small')).toEqual(hog.map(({ claim }) => claim.key));
  });

  proves('QU-4', 'classes of one tenant are let in 8:2:1, and a lone class gets everything', async () => {
    const classes = ['background', 'automation', 'interactive'] as const;
    const order = await orderOf(
      classes.flatMap((kind) => Array.from({ length: 16 }, (_, n) => candidate(`${kind}-${n}`, { kind }))),
    );
    const inFirst = (count: number, kind: WorkClass): number =>
      order.slice(0, count).filter((key) => key.startsWith(kind)).length;
    expect(classes.map((kind) => inFirst(11, kind))).toEqual([1, 2, 8]);
    expect(classes.map((kind) => inFirst(22, kind))).toEqual([2, 4, 16]);
    expect(order).toHaveLength(48);
  });

  proves('QU-4', 'weights of tenants are kept: twice the weight, twice the slots', async () => {
    await limited(6);
    const { admission, work, keyspace } = world.platform;
    await work.hset(keyspace.limits('weights'), { big: 2, small: 1 });
    const holders = Array.from({ length: 6 }, (_, n) => candidate(`holder-${n}`, { tenant: 'nobody' }));
    for (const holder of holders) await admission.admit(holder);
    for (let n = 0; n < 8; n++)
      for (const tenant of ['small', 'big']) await admission.admit(candidate(`${tenant}-${n}`, { tenant }));
    for (const holder of holders) await admission.free(holder, true);
    const letIn = await activated();
    expect(letIn.filter((key) => key.startsWith('big'))).toHaveLength(4);
    expect(letIn.filter((key) => key.startsWith('small'))).toHaveLength(2);
  });

  proves(['QU-4', 'G4'], 'a turn that goes on from its journal does not queue behind new ones', async () => {
    const fresh = [candidate('a'), candidate('b')];
    expect(await orderOf([...fresh, candidate('resumed', { resumes: true, fence: '1.2.a' })])).toEqual(['resumed', 'a', 'b']);
  });
});

describe('rate', () => {
  proves(
    ['QU-1', 'G6'],
    'in the worst second two runners together start at most the rate and its burst of a tenth of a second',
    async () => {
      const rate = 50;
      await limited(0, rate);
      const began: number[] = [];
      await waitUntil(
        'two seconds of turns have begun',
        async () => {
          const answers = await Promise.all(
            [world.platform, other].flatMap(({ admission }) => [admission.charge(), admission.charge()]),
          );
          const at = performance.now();
          began.push(...answers.filter(({ kind }) => kind === 'go').map(() => at));
          return began.length;
        },
        (count) => count >= 2 * rate,
        10_000,
      );
      const worst = Math.max(...began.map((from) => began.filter((at) => at >= from && at < from + 1000).length));
      // The loop looks every 20 ms, so a start may be seen that much late.
      expect(worst).toBeLessThanOrEqual(Math.ceil(rate * 1.1 + rate * 0.02 * 2) + 1);
      expect((began.at(-1) ?? 0) - (began[0] ?? 0)).toBeGreaterThan(1500);
    },
  );

  proves(['QU-1', 'G6'], 'a refused start says when to come again, and holds no slot meanwhile', async () => {
    await limited(1, 0.5);
    const { admission } = world.platform;
    const first = candidate('first');
    expect(await admission.admit(first)).toEqual({ kind: 'go' });
    await admission.free(first, true);
    const refused = await admission.admit(candidate('second'));
    expect(refused).toMatchObject({ kind: 'wait' });
    expect(refused.kind === 'wait' && refused.ms).toBeGreaterThan(1000);
    expect(await world.platform.work.zcard(world.platform.keyspace.limits('run'))).toBe(0);
  });

  proves(['QU-1', 'QU-4'], 'an activation that ran no turn is charged nothing', async () => {
    await limited(2, 0.5);
    const { admission } = world.platform;
    for (let n = 0; n < 20; n++) {
      const empty = candidate(`empty-${n}`);
      expect(await admission.admit(empty)).toEqual({ kind: 'go' });
      await admission.free(empty, false);
    }
    expect(await admission.admit(candidate('real'))).toEqual({ kind: 'go' });
  });
});
