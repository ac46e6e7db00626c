import { afterEach, beforeEach, describe, expect } from 'vitest';
import type { WorkClass } from '#contracts';
import { AdmissionWorld, candidate, candidates } from './admission-world.js';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { targetOf } from './lanes-world.js';
import { proves } from './proves.js';

let w: AdmissionWorld;
let one: AdmissionWorld['one'];
beforeEach(async () => {
  w = await AdmissionWorld.open();
  ({ one } = w);
});
afterEach(() => w.close());

describe('tenants and agents', () => {
  proves(['QU-4', 'G6'], 'who is at its own limit waits, and keeps nobody else waiting', async () => {
    await w.limited({
      fleet: { concurrency: 10 },
      tenant: { concurrency: 3 },
      tenants: { big: { concurrency: 5, agents: { slow: { concurrency: 1 } } } },
    });
    const big = await w.letIn([...candidates('big', 3, 'slow'), ...candidates('big', 6)]);
    expect(big).toEqual(['big-slow-0', 'big-main-0', 'big-main-1', 'big-main-2', 'big-main-3']);
    expect(await w.letIn(candidates('small', 4))).toEqual(['small-main-0', 'small-main-1', 'small-main-2']);
    const { admission } = one;
    await admission.free(candidate('big-main-0', { tenant: 'big' }), 1);
    await admission.free(candidate('small-main-0', { tenant: 'small' }), 1);
    await admission.free(candidate('big-slow-0', { tenant: 'big', agent: 'slow' }), 1);
    expect(await w.activated()).toEqual(['big-main-4', 'small-main-3', 'big-slow-1']);
  });

  proves(
    ['QU-4', 'G6'],
    'a limit of one tenant that is raised lets its waiters in at once, a lowered one counts as turns end',
    async () => {
      await w.limited({ tenants: { acme: { concurrency: 1 } } });
      const { admission } = one;
      expect(await w.letIn(candidates('acme', 5))).toEqual(['acme-main-0']);
      await w.setLimits({ tenants: { acme: { concurrency: 4 } } });
      expect(await w.activated()).toEqual(['acme-main-1', 'acme-main-2', 'acme-main-3']);
      for (const each of candidates('acme', 4).slice(1)) expect(await admission.admit(each)).toBe('go');
      await w.setLimits({ tenants: { acme: { concurrency: 2 } } });
      for (const each of candidates('acme', 4).slice(0, 2)) await admission.free(each, 1);
      expect(await w.activated()).toHaveLength(3);
      await admission.free(candidate('acme-main-2'), 1);
      expect(await w.activated()).toHaveLength(4);
    },
  );

  proves(['QU-4', 'G6'], 'the rate of a tenant, or of an agent, delays nobody else', async () => {
    await w.limited({
      fleet: { turnsPerSecond: 1000 },
      tenants: { slow: { turnsPerSecond: 0.5 }, mixed: { agents: { slow: { turnsPerSecond: 0.5 } } } },
    });
    const got = await w.letIn([
      ...candidates('slow', 3),
      ...candidates('mixed', 2, 'slow'),
      ...candidates('mixed', 3),
      ...candidates('other', 3),
    ]);
    const fast = [...candidates('mixed', 3), ...candidates('other', 3)].map(({ claim }) => claim.key);
    expect(got).toEqual(['slow-main-0', 'mixed-slow-0', ...fast]);
    await waitUntil(
      'its time comes',
      () => w.activated(),
      (keys) => keys.includes('slow-main-1') && keys.includes('mixed-slow-1'),
    );
  });
});

describe('fairness', () => {
  proves('QU-4', 'a tenant with one waiter is let in next, however many another tenant has waiting', async () => {
    const hog = candidates('hog', 30);
    const order = await w.orderOf([...hog, candidate('small', { tenant: 'small' })]);
    expect(order.indexOf('small')).toBeLessThanOrEqual(1);
    expect(order.filter((key) => key !== 'small')).toEqual(hog.map(({ claim }) => claim.key));
  });

  proves('QU-4', 'classes of one tenant are let in 8:2:1, and a lone class gets everything', async () => {
    const { work, keyspace } = one;
    const classes = ['background', 'automation', 'interactive'] as const;
    const waiting = classes.flatMap((kind) => Array.from({ length: 16 }, (_, n) => candidate(`${kind}-${n}`)));
    for (const { claim } of waiting.slice(0, 32)) await work.hset(keyspace.head(claim.key), 'cls', claim.key.split('-')[0] ?? '');
    const order = await w.orderOf(waiting);
    const inFirst = (count: number, kind: WorkClass): number =>
      order.slice(0, count).filter((key) => key.startsWith(kind)).length;
    expect(classes.map((kind) => inFirst(11, kind))).toEqual([1, 2, 8]);
    expect(classes.map((kind) => inFirst(22, kind))).toEqual([2, 4, 16]);
    expect(order).toHaveLength(48);
  });

  proves('QU-4', "the class is the session's: the most urgent of its mail until it is idle", async () => {
    const { sessions, work, keyspace } = one;
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
    await w.limited({ fleet: { concurrency: 4 }, tenants: { heavy: { weight: 3 } } });
    const { admission } = one;
    const holders = candidates('nobody', 4);
    const waiting = [...candidates('light', 90), ...candidates('heavy', 60)];
    expect(await w.letIn([...holders, ...waiting])).toHaveLength(4);
    for (const each of holders) await admission.free(each, 1);
    await w.runThrough(waiting, 76);
    const order = await w.activated();
    expect(order).toHaveLength(80);
    expect(order.filter((key) => key.startsWith('heavy'))).toHaveLength(60);
  });

  proves('QU-4', 'an activation that ran many turns has used the share of as many', async () => {
    await w.limited({ fleet: { concurrency: 1 } });
    const first = candidate('long', { tenant: 'long' });
    const waiting = [...candidates('long', 12), ...candidates('short', 12)];
    expect(await w.letIn([first, ...waiting])).toEqual(['long']);
    await one.admission.free(first, 10);
    await w.runThrough(waiting, 10);
    expect((await w.activated()).slice(0, 9).filter((key) => key.startsWith('long')).length).toBeLessThanOrEqual(1);
  });

  proves(['QU-4', 'G4'], 'a turn that goes on from its journal does not queue behind new ones', async () => {
    const fresh = [candidate('a'), candidate('b')];
    expect(await w.orderOf([...fresh, candidate('resumed', { resumes: true, fence: '1.2.a' })])).toEqual(['resumed', 'a', 'b']);
  });
});
