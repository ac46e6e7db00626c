import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { SessionKey } from '#kernel';
import type { Bucket } from '#redis';
import { AdmissionWorld, candidate } from './admission-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

let w: AdmissionWorld;
let one: AdmissionWorld['one'];
let two: AdmissionWorld['two'];
beforeEach(async () => {
  w = await AdmissionWorld.open();
  ({ one, two } = w);
});
afterEach(() => w.close());

describe('concurrency', () => {
  proves(
    ['QU-1', 'G6'],
    'two runners never hold more slots than the fleet has; each one freed lets exactly one waiter in',
    async () => {
      await w.limited({ fleet: { concurrency: 3 } });
      const all = Array.from({ length: 10 }, (_, n) => candidate(`k${n}`));
      const answers = await Promise.all(all.map((each, n) => (n % 2 ? two : one).admission.admit(each)));
      expect(answers.filter((answer) => answer === 'go')).toHaveLength(3);
      expect(answers.filter((answer) => answer === 'queued')).toHaveLength(7);
      const first = answers.indexOf('go');
      await (first % 2 ? two : one).admission.free(all[first] ?? expect.fail(), 1);
      expect(await w.activated()).toHaveLength(1);
    },
  );

  proves(['QU-1', 'G4'], 'the re-run of a killed turn takes its own slot over; the zombie can free it no more', async () => {
    await w.limited({ fleet: { concurrency: 1 } });
    const zombie = candidate('k', { fence: '1.1.a' });
    expect(await one.admission.admit(zombie)).toEqual('go');
    const heir = candidate('k', { fence: '1.2.b', resumes: true });
    expect(await two.admission.admit(heir)).toEqual('go');
    await one.admission.free(zombie, 1);
    expect(await two.admission.admit(candidate('x'))).toEqual('queued');
    await two.admission.free(heir, 1);
    expect(await w.activated()).toEqual(['x']);
  });

  proves(
    ['QU-1', 'G6'],
    'the slot of a runner that died and is not renewed goes to who waits, by the clock of Redis',
    async () => {
      await w.limited({ fleet: { concurrency: 1 } });
      const { admission, work, keyspace } = one;
      await admission.admit(candidate('dead'));
      expect(await two.admission.admit(candidate('waits'))).toEqual('queued');
      await two.admission.pump();
      expect(await w.activated()).toEqual([]);
      await work.zadd(keyspace.limits('run'), 1, 'dead');
      await two.admission.pump();
      expect(await w.activated()).toEqual(['waits']);
    },
  );

  proves(['QU-1', 'G3'], 'a waiter whose activator died is activated again when its reservation runs out', async () => {
    await w.limited({ fleet: { concurrency: 1 } });
    const { admission, work, keyspace, turns } = one;
    const holder = candidate('holder');
    await admission.admit(holder);
    await admission.admit(candidate('waits'));
    await admission.free(holder, 1);
    for (const job of (await turns.activationQueues[0]?.getJobs(['wait'])) ?? []) await job.remove();
    await work.zadd(keyspace.limits('run'), 1, 'waits');
    await two.admission.pump();
    expect(await w.activated()).toEqual(['waits']);
  });

  proves(
    ['QU-1', 'G6'],
    'limits changed on one runner hold for all: raised lets more in at once, lifted lets all in',
    async () => {
      await w.limited({ fleet: { concurrency: 1 } });
      const { admission } = one;
      for (let n = 0; n < 6; n++) await admission.admit(candidate(`k${n}`));
      expect(await w.activated()).toEqual([]);
      await w.setLimits({ fleet: { concurrency: 3 } });
      expect(await w.activated()).toEqual(['k1', 'k2']);
      await w.setLimits({});
      expect(await w.activated()).toEqual(['k1', 'k2', 'k3', 'k4', 'k5']);
      expect(await admission.admit(candidate('k9'))).toEqual('go');
    },
  );

  proves(['QU-1', 'G6'], 'turns that began while there was no limit count as soon as there is one', async () => {
    await w.limited({});
    const { admission, work, keyspace } = one;
    const before = [candidate('a'), candidate('b'), candidate('c')];
    for (const each of before) expect(await admission.admit(each)).toBe('go');
    expect(await w.world.keys()).not.toContain(keyspace.limits('run'));
    await w.setLimits({ fleet: { concurrency: 3 } });
    await waitUntil(
      'they are counted',
      () => work.zcard(keyspace.limits('run')),
      (slots) => slots === 3,
    );
    await waitUntil(
      'the other runner knows too',
      () => two.admission.admit(candidate('late')),
      (answer) => answer === 'queued',
    );
    await admission.free(before[0] ?? expect.fail(), 1);
    expect(await w.activated()).toEqual(['late']);
  });

  proves(['QU-1', 'QU-4'], 'whoever is let in is fetched before those that have not asked yet', async () => {
    await w.limited({ fleet: { concurrency: 1 } });
    const { admission, turns } = one;
    const holder = candidate('holder');
    await admission.admit(holder);
    await admission.admit(candidate('waits'));
    for (let n = 0; n < 5; n++) await turns.activate(`new-${n}` as SessionKey);
    await admission.free(holder, 1);
    const wait = await one.work.lrange(one.keyspace.activation('turns', 0 as Bucket, 'wait'), -1, -1);
    const next = await turns.activationQueues[0]?.getJob(wait[0] ?? '');
    expect(next?.data).toEqual({ key: 'waits' });
  });

  proves(['QU-1', 'QU-4'], 'a fleet has no more slots than its runners can run, less a tenth to sort what comes', async () => {
    await w.limited({ tenant: { concurrency: 100 } }, 10);
    const answers: string[] = [];
    for (let n = 0; n < 20; n++) answers.push(await two.admission.admit(candidate(`k${n}`)));
    expect(answers.filter((answer) => answer === 'go')).toHaveLength(18);
  });
});

describe('rate', () => {
  proves(['QU-1', 'G6'], 'in the worst second two runners start at most the rate, 5 % and one more', async () => {
    const rate = 100;
    const starts = 150;
    await w.limited({ fleet: { turnsPerSecond: rate } });
    const { work, keyspace } = one;
    for (let n = 0; n < starts; n++) await (n % 2 ? two : one).admission.admit(candidate(`k${n}`));
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
    await w.limited({ fleet: { concurrency: 1, turnsPerSecond: 2 } });
    const { admission, work, keyspace } = one;
    const first = candidate('first');
    expect(await admission.admit(first)).toBe('go');
    await admission.free(first, 1);
    expect(await admission.admit(candidate('second'))).toBe('queued');
    expect(await work.zcard(keyspace.limits('run'))).toBe(0);
    await waitUntil(
      'it is let in',
      () => w.activated(),
      (keys) => keys.length === 1,
    );
    expect(await admission.admit(candidate('second'))).toBe('go');
  });

  proves(['QU-1', 'QU-4'], 'an activation that ran no turn is charged nothing', async () => {
    await w.limited({ fleet: { concurrency: 2, turnsPerSecond: 0.5 } });
    const { admission } = one;
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
      await w.limited({ tenant: { turnsPerSecond: 0.5 } });
      const { admission, work, keyspace } = one;
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
