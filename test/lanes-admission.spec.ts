import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { z } from 'zod';
import { limitsSchema } from '#config';
import type { WorkClass } from '#contracts';
import type { Candidate } from '#lanes';
import type { SessionKey } from '#kernel';
import type { Bucket } from '#redis';
import { LanesWorld, openLanes, targetOf } from './lanes-world.js';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
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

function candidate(key: string, { tenant = 'acme', agent = 'main', fence = '1.1.a', resumes = false } = {}): Candidate {
  const signal = new AbortController().signal;
  return { claim: { key: key as SessionKey, fence, activationId: '1', token: 'x', signal }, tenant, agent, resumes };
}

/** Puts limits in force, on two runners that can work on so much each. */
async function limited(limits: z.input<typeof limitsSchema>, concurrency = 1000): Promise<void> {
  await setLimits(limits);
  await Promise.all([world.platform, other].map(({ admission, turns }) => admission.start(turns.nonce, concurrency)));
}

const setLimits = (limits: z.input<typeof limitsSchema>) => world.platform.limits.change(() => limitsSchema.parse(limits));

/** Keys that were activated, i.e. let in, oldest first. */
async function activated(): Promise<string[]> {
  const jobs = (await world.platform.turns.activationQueues[0]?.getJobs(['wait'], 0, -1, true)) ?? [];
  return jobs.toSorted((a, b) => Number(a.id) - Number(b.id)).map(({ data }) => (data as { key: string }).key);
}

/** Everybody queues behind one slot; then it is handed on and on. @returns the order in which they came in */
async function orderOf(waiting: readonly Candidate[]): Promise<string[]> {
  const { admission } = world.platform;
  await limited({ fleet: { concurrency: 1 } });
  const holder = candidate('holder', { tenant: 'nobody' });
  expect(await admission.admit(holder)).toEqual('go');
  for (const each of waiting) expect(await admission.admit(each)).toEqual('queued');
  const byKey = new Map<string, Candidate>(waiting.map((each) => [each.claim.key, each]));
  let current = holder;
  for (let count = 1; count <= waiting.length; count++) {
    await admission.free(current, 1);
    const next = byKey.get((await activated())[count - 1] ?? '') ?? expect.fail('nobody was let in');
    expect(await admission.admit(next)).toEqual('go');
    current = next;
  }
  return activated();
}

describe('concurrency', () => {
  proves(
    ['QU-1', 'G6'],
    'two runners never hold more slots than the fleet has; each one freed lets exactly one waiter in',
    async () => {
      await limited({ fleet: { concurrency: 3 } });
      const all = Array.from({ length: 10 }, (_, n) => candidate(`k${n}`));
      const answers = await Promise.all(all.map((each, n) => (n % 2 ? other : world.platform).admission.admit(each)));
      expect(answers.filter((answer) => answer === 'go')).toHaveLength(3);
      expect(answers.filter((answer) => answer === 'queued')).toHaveLength(7);
      const first = answers.indexOf('go');
      await (first % 2 ? other : world.platform).admission.free(all[first] ?? expect.fail(), 1);
      expect(await activated()).toHaveLength(1);
    },
  );

  proves(['QU-1', 'G4'], 'the re-run of a killed turn takes its own slot over; the zombie can free it no more', async () => {
    await limited({ fleet: { concurrency: 1 } });
    const zombie = candidate('k', { fence: '1.1.a' });
    expect(await world.platform.admission.admit(zombie)).toEqual('go');
    const heir = candidate('k', { fence: '1.2.b', resumes: true });
    expect(await other.admission.admit(heir)).toEqual('go');
    await world.platform.admission.free(zombie, 1);
    expect(await other.admission.admit(candidate('x'))).toEqual('queued');
    await other.admission.free(heir, 1);
    expect(await activated()).toEqual(['x']);
  });

  proves(
    ['QU-1', 'G6'],
    'the slot of a runner that died and is not renewed goes to who waits, by the clock of Redis',
    async () => {
      await limited({ fleet: { concurrency: 1 } });
      const { admission, work, keyspace } = world.platform;
      await admission.admit(candidate('dead'));
      expect(await other.admission.admit(candidate('waits'))).toEqual('queued');
      await other.admission.pump();
      expect(await activated()).toEqual([]);
      await work.zadd(keyspace.limits('run'), 1, 'dead');
      await other.admission.pump();
      expect(await activated()).toEqual(['waits']);
    },
  );

  proves(['QU-1', 'G3'], 'a waiter whose activator died is activated again when its reservation runs out', async () => {
    await limited({ fleet: { concurrency: 1 } });
    const { admission, work, keyspace, turns } = world.platform;
    const holder = candidate('holder');
    await admission.admit(holder);
    await admission.admit(candidate('waits'));
    await admission.free(holder, 1);
    for (const job of (await turns.activationQueues[0]?.getJobs(['wait'])) ?? []) await job.remove();
    await work.zadd(keyspace.limits('run'), 1, 'waits');
    await other.admission.pump();
    expect(await activated()).toEqual(['waits']);
  });

  proves(
    ['QU-1', 'G6'],
    'limits changed on one runner hold for all: raised lets more in at once, lifted lets all in',
    async () => {
      await limited({ fleet: { concurrency: 1 } });
      const { admission } = world.platform;
      for (let n = 0; n < 6; n++) await admission.admit(candidate(`k${n}`));
      expect(await activated()).toEqual([]);
      await setLimits({ fleet: { concurrency: 3 } });
      expect(await activated()).toEqual(['k1', 'k2']);
      await setLimits({});
      expect(await activated()).toEqual(['k1', 'k2', 'k3', 'k4', 'k5']);
      expect(await admission.admit(candidate('k9'))).toEqual('go');
    },
  );

  proves(['QU-1', 'G6'], 'turns that began while there was no limit count as soon as there is one', async () => {
    await limited({});
    const { admission, work, keyspace } = world.platform;
    const before = [candidate('a'), candidate('b'), candidate('c')];
    for (const each of before) expect(await admission.admit(each)).toBe('go');
    expect(await world.keys()).not.toContain(keyspace.limits('run'));
    await setLimits({ fleet: { concurrency: 3 } });
    await waitUntil(
      'they are counted',
      () => work.zcard(keyspace.limits('run')),
      (slots) => slots === 3,
    );
    await waitUntil(
      'the other runner knows too',
      () => other.admission.admit(candidate('late')),
      (answer) => answer === 'queued',
    );
    await admission.free(before[0] ?? expect.fail(), 1);
    expect(await activated()).toEqual(['late']);
  });

  proves(['QU-1', 'QU-4'], 'whoever is let in is fetched before those that have not asked yet', async () => {
    await limited({ fleet: { concurrency: 1 } });
    const { admission, turns } = world.platform;
    const holder = candidate('holder');
    await admission.admit(holder);
    await admission.admit(candidate('waits'));
    for (let n = 0; n < 5; n++) await turns.activate(`new-${n}` as SessionKey);
    await admission.free(holder, 1);
    const wait = await world.platform.work.lrange(world.platform.keyspace.activation('turns', 0 as Bucket, 'wait'), -1, -1);
    const next = await turns.activationQueues[0]?.getJob(wait[0] ?? '');
    expect(next?.data).toEqual({ key: 'waits' });
  });

  proves(['QU-1', 'QU-4'], 'a fleet has no more slots than its runners can run, less a tenth to sort what comes', async () => {
    await limited({ tenant: { concurrency: 100 } }, 10);
    const answers: string[] = [];
    for (let n = 0; n < 20; n++) answers.push(await other.admission.admit(candidate(`k${n}`)));
    expect(answers.filter((answer) => answer === 'go')).toHaveLength(18);
  });
});

describe('tenants and agents', () => {
  /** Who of these gets in at once. */
  async function letIn(candidates: readonly Candidate[]): Promise<string[]> {
    const answers: string[] = [];
    for (const each of candidates) answers.push(await world.platform.admission.admit(each));
    return candidates.filter((_, n) => answers[n] === 'go').map(({ claim }) => claim.key);
  }

  const of = (tenant: string, agent: string, count: number): Candidate[] =>
    Array.from({ length: count }, (_, n) => candidate(`${tenant}-${agent}-${n}`, { tenant, agent }));

  proves(['QU-4', 'G6'], 'who is at its own limit waits, and keeps nobody else waiting', async () => {
    await limited({
      fleet: { concurrency: 10 },
      tenant: { concurrency: 3 },
      tenants: { big: { concurrency: 5, agents: { slow: { concurrency: 1 } } } },
    });
    const big = await letIn([...of('big', 'slow', 3), ...of('big', 'main', 6)]);
    expect(big).toEqual(['big-slow-0', 'big-main-0', 'big-main-1', 'big-main-2', 'big-main-3']);
    expect(await letIn(of('small', 'main', 4))).toEqual(['small-main-0', 'small-main-1', 'small-main-2']);
    const { admission } = world.platform;
    await admission.free(candidate('big-main-0', { tenant: 'big' }), 1);
    await admission.free(candidate('small-main-0', { tenant: 'small' }), 1);
    await admission.free(candidate('big-slow-0', { tenant: 'big', agent: 'slow' }), 1);
    expect(await activated()).toEqual(['big-main-4', 'small-main-3', 'big-slow-1']);
  });

  proves(
    ['QU-4', 'G6'],
    'a limit of one tenant that is raised lets its waiters in at once, a lowered one counts as turns end',
    async () => {
      await limited({ tenants: { acme: { concurrency: 1 } } });
      const { admission } = world.platform;
      expect(await letIn(of('acme', 'main', 5))).toEqual(['acme-main-0']);
      await setLimits({ tenants: { acme: { concurrency: 4 } } });
      expect(await activated()).toEqual(['acme-main-1', 'acme-main-2', 'acme-main-3']);
      for (const each of of('acme', 'main', 4).slice(1)) expect(await admission.admit(each)).toBe('go');
      await setLimits({ tenants: { acme: { concurrency: 2 } } });
      for (const each of of('acme', 'main', 4).slice(0, 2)) await admission.free(each, 1);
      expect(await activated()).toHaveLength(3);
      await admission.free(candidate('acme-main-2'), 1);
      expect(await activated()).toHaveLength(4);
    },
  );

  proves(['QU-4', 'G6'], 'the rate of a tenant, or of an agent, delays nobody else', async () => {
    await limited({
      fleet: { turnsPerSecond: 1000 },
      tenants: { slow: { turnsPerSecond: 0.5 }, mixed: { agents: { slow: { turnsPerSecond: 0.5 } } } },
    });
    const got = await letIn([
      ...of('slow', 'main', 3),
      ...of('mixed', 'slow', 2),
      ...of('mixed', 'main', 3),
      ...of('other', 'main', 3),
    ]);
    const fast = [...of('mixed', 'main', 3), ...of('other', 'main', 3)].map(({ claim }) => claim.key);
    expect(got).toEqual(['slow-main-0', 'mixed-slow-0', ...fast]);
    await waitUntil('its time comes', activated, (keys) => keys.includes('slow-main-1') && keys.includes('mixed-slow-1'));
  });
});

describe('fairness', () => {
  proves('QU-4', 'a tenant with one waiter is let in next, however many another tenant has waiting', async () => {
    const hog = Array.from({ length: 30 }, (_, n) => candidate(`hog-${n}`, { tenant: 'hog' }));
    const order = await orderOf([...hog, candidate('small', { tenant: 'small' })]);
    expect(order.indexOf('small')).toBeLessThanOrEqual(1);
    expect(order.filter((key) => key !== 'small')).toEqual(hog.map(({ claim }) => claim.key));
  });

  proves('QU-4', 'classes of one tenant are let in 8:2:1, and a lone class gets everything', async () => {
    const { work, keyspace } = world.platform;
    const classes = ['background', 'automation', 'interactive'] as const;
    const waiting = classes.flatMap((kind) => Array.from({ length: 16 }, (_, n) => candidate(`${kind}-${n}`)));
    for (const { claim } of waiting.slice(0, 32)) await work.hset(keyspace.head(claim.key), 'cls', claim.key.split('-')[0] ?? '');
    const order = await orderOf(waiting);
    const inFirst = (count: number, kind: WorkClass): number =>
      order.slice(0, count).filter((key) => key.startsWith(kind)).length;
    expect(classes.map((kind) => inFirst(11, kind))).toEqual([1, 2, 8]);
    expect(classes.map((kind) => inFirst(22, kind))).toEqual([2, 4, 16]);
    expect(order).toHaveLength(48);
  });

  proves('QU-4', "the class is the session's: the most urgent of its mail until it is idle", async () => {
    const { sessions, work, keyspace } = world.platform;
    const classOf = (): Promise<string | null> => work.hget(keyspace.head(sessionOf('c')), 'cls');
    const accept = (n: number, kind: WorkClass) =>
      sessions.accept({ ...envelopeOf(targetOf('c'), n, 'text'), class: kind }, ACCEPT);
    const seen = [];
    for (const [n, kind] of (['background', 'automation', 'background', 'interactive', 'automation'] as const).entries()) {
      await accept(n, kind);
      seen.push(await classOf());
    }
    expect(seen).toEqual(['background', 'automation', 'automation', null, null]);
  });

  proves('QU-4', 'while both wait, tenants get turns by weight, whatever each of them offers', async () => {
    await limited({ fleet: { concurrency: 4 }, tenants: { heavy: { weight: 3 } } });
    const { admission } = world.platform;
    const holders = Array.from({ length: 4 }, (_, n) => candidate(`holder-${n}`, { tenant: 'nobody' }));
    const waiting = [
      ...Array.from({ length: 90 }, (_, n) => candidate(`light-${n}`, { tenant: 'light' })),
      ...Array.from({ length: 60 }, (_, n) => candidate(`heavy-${n}`, { tenant: 'heavy' })),
    ];
    for (const each of [...holders, ...waiting]) await admission.admit(each);
    const byKey = new Map([...holders, ...waiting].map((each) => [each.claim.key as string, each]));
    for (const each of holders) await admission.free(each, 1);
    for (let n = 0; n < 76; n++) {
      const next = byKey.get((await activated())[n] ?? '') ?? expect.fail();
      expect(await admission.admit(next)).toBe('go');
      await admission.free(next, 1);
    }
    const order = await activated();
    expect(order).toHaveLength(80);
    expect(order.filter((key) => key.startsWith('heavy'))).toHaveLength(60);
  });

  proves('QU-4', 'an activation that ran many turns has used the share of as many', async () => {
    await limited({ fleet: { concurrency: 1 } });
    const { admission } = world.platform;
    const first = candidate('long', { tenant: 'long' });
    await admission.admit(first);
    for (const tenant of ['long', 'short'])
      for (let n = 0; n < 12; n++) await admission.admit(candidate(`${tenant}-${n}`, { tenant }));
    await admission.free(first, 10);
    for (let n = 0; n < 10; n++) {
      const key = (await activated())[n] ?? expect.fail();
      const next = candidate(key, { tenant: key.split('-')[0] ?? '' });
      await admission.admit(next);
      await admission.free(next, 1);
    }
    expect((await activated()).slice(0, 9).filter((key) => key.startsWith('long')).length).toBeLessThanOrEqual(1);
  });

  proves(['QU-4', 'G4'], 'a turn that goes on from its journal does not queue behind new ones', async () => {
    const fresh = [candidate('a'), candidate('b')];
    expect(await orderOf([...fresh, candidate('resumed', { resumes: true, fence: '1.2.a' })])).toEqual(['resumed', 'a', 'b']);
  });
});

describe('rate', () => {
  proves(['QU-1', 'G6'], 'in the worst second two runners start at most the rate, 5 % and one more', async () => {
    const rate = 100;
    const starts = 150;
    await limited({ fleet: { turnsPerSecond: rate } });
    const { work, keyspace } = world.platform;
    for (let n = 0; n < starts; n++) await (n % 2 ? other : world.platform).admission.admit(candidate(`k${n}`));
    await waitUntil(
      'all have been let in',
      () => work.zcard(keyspace.limits('run')),
      (count) => count === starts,
    );
    // A slot that was asked for ends after 30 s, a reserved one after 3 s, both by Redis time: that says when it began.
    const ends = (await work.zrangebyscore(keyspace.limits('run'), '-inf', '+inf', 'WITHSCORES'))
      .filter((_, n) => n % 2)
      .map(Number);
    const longest = Math.max(...ends);
    const began = ends.map((end) => (end > longest - 20_000 ? end - 30_000 : end - 3000));
    const worst = Math.max(...began.map((from) => began.filter((at) => at >= from && at < from + 1000).length));
    expect(worst).toBeLessThanOrEqual(rate * 1.05 + 1);
    expect(Math.max(...began) - Math.min(...began)).toBeGreaterThan(1300);
  });

  proves(['QU-1', 'G6'], 'a refused start holds no slot, and is let in when its time has come without asking again', async () => {
    await limited({ fleet: { concurrency: 1, turnsPerSecond: 2 } });
    const { admission, work, keyspace } = world.platform;
    const first = candidate('first');
    expect(await admission.admit(first)).toBe('go');
    await admission.free(first, 1);
    expect(await admission.admit(candidate('second'))).toBe('queued');
    expect(await work.zcard(keyspace.limits('run'))).toBe(0);
    await waitUntil('it is let in', activated, (keys) => keys.length === 1);
    expect(await admission.admit(candidate('second'))).toBe('go');
  });

  proves(['QU-1', 'QU-4'], 'an activation that ran no turn is charged nothing', async () => {
    await limited({ fleet: { concurrency: 2, turnsPerSecond: 0.5 } });
    const { admission } = world.platform;
    for (let n = 0; n < 20; n++) {
      const empty = candidate(`empty-${n}`);
      expect(await admission.admit(empty)).toBe('go');
      await admission.free(empty, 0);
    }
    expect(await admission.admit(candidate('real'))).toBe('go');
  });

  proves(
    ['QU-1', 'QU-4'],
    'the next turn of an activation is charged too, paid back if it was not run, and gives way',
    async () => {
      await limited({ tenant: { turnsPerSecond: 0.5 } });
      const { admission, work, keyspace } = world.platform;
      const chatty = candidate('chatty');
      expect(await admission.admit(chatty)).toBe('go');
      expect(await admission.charge(chatty, 1)).toBe('queued');
      expect(await admission.charge(candidate('not admitted'), 1)).toBe('go');
      await work.del(keyspace.limits('rate:t|acme'));
      expect(await admission.charge(chatty, 1)).toBe('go');
      const paid = await work.get(keyspace.limits('rate:t|acme'));
      await admission.free(chatty, 1);
      expect(Number(paid) - Number(await work.get(keyspace.limits('rate:t|acme')))).toBeGreaterThan(1_999_000);
    },
  );
});
