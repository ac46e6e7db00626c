import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { LimitsWorld } from './limits-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const CONCURRENCY = 4;
const LONG_MS = 700;
const GUARD = { timeout: 60_000 };
const TENANTS = ['even', 'killed', 'changed', 'hog', 'small', 'chatty', 'rated', 'frugal'];
const FEW = { fleet: { concurrency: CONCURRENCY } };

let world: LimitsWorld;
beforeAll(async () => {
  const script = (about: string) => (about.startsWith('frugal') ? { text: 'done', delayMs: LONG_MS } : undefined);
  world = await LimitsWorld.start({ runners: 3, tenants: TENANTS, limits: FEW, script });
}, 60_000);
afterAll(() => world?.close());
beforeEach(() => {
  world.asked = [];
});

proves(
  ['QU-1', 'QU-4', 'G6'],
  'three runners together never ask the model for more turns at once than the fleet may have, and use all of it',
  async () => {
    await world.acceptMany('even', 60);
    await world.manyEnded('even', 60);
    expect(world.asked).toHaveLength(60);
    expect(world.most()).toBe(CONCURRENCY);
  },
  GUARD,
);

proves(
  ['QU-1', 'G4', 'G6'],
  'the slots of a killed runner are used again, and no more than them',
  async () => {
    await world.acceptMany('killed', 40);
    await world.hasAsked(8);
    const [victim] = world.fleet.of('runner');
    world.fleet.kill(victim ?? expect.fail());
    await world.manyEnded('killed', 40);
    expect(world.most()).toBeLessThanOrEqual(CONCURRENCY);
    await world.fleet.start('runner');
  },
  GUARD,
);

proves(
  ['QU-1', 'G6'],
  'a limit that is changed while turns run and wait holds from then on',
  async () => {
    await world.acceptMany('changed', 60);
    await world.hasAsked(8);
    await world.setLimits({ fleet: { concurrency: 1 } });
    const lowered = world.asked.length;
    await world.hasAsked(lowered + CONCURRENCY + 5);
    world.asked = world.asked.slice(lowered + CONCURRENCY);
    expect(world.most()).toBe(1);
    await world.setLimits({ fleet: { concurrency: 12 } });
    world.asked = [];
    await world.manyEnded('changed', 60);
    expect(world.most()).toBeGreaterThan(CONCURRENCY);
    expect(world.most()).toBeLessThanOrEqual(12);
    await world.setLimits(FEW);
  },
  GUARD,
);

proves(
  ['QU-4', 'G6'],
  'a tenant with 150 waiting sessions does not keep another tenant waiting',
  async () => {
    await world.acceptMany('hog', 150);
    await world.hasAsked(8);
    const before = world.asked.length;
    await world.accept('small', 'main-0');
    await world.manyEnded('small', 1);
    const place = world.asked.findIndex(({ about }) => about.startsWith('small')) - before;
    expect(place).toBeLessThanOrEqual(2 * CONCURRENCY);
    await world.setLimits({ fleet: { concurrency: 50 } });
    await world.manyEnded('hog', 150);
  },
  GUARD,
);

proves(
  'QU-4',
  'a session with many messages gives way after its budget: others are not kept waiting behind it',
  async () => {
    await world.setLimits({ fleet: { concurrency: 1 } });
    for (let n = 1; n <= 30; n++) await world.accept('chatty', 'many', n);
    await world.hasAsked(1);
    await world.accept('chatty', 'one');
    await world.ended('chatty', ['one']);
    const place = world.asked.findIndex(({ about }) => about.startsWith('chatty/one/'));
    expect(place).toBeLessThanOrEqual(20);
    await world.ended('chatty', ['many'], 30);
  },
  GUARD,
);

proves(
  ['QU-1', 'G6'],
  'three runners together start turns at the rate of the fleet, and none is lost',
  async () => {
    const rate = 20;
    await world.setLimits({ fleet: { turnsPerSecond: rate } });
    await world.acceptMany('rated', 60);
    await world.manyEnded('rated', 60);
    expect(world.asked).toHaveLength(60);
    expect(world.most('', 1000)).toBeLessThanOrEqual(rate * 1.05 + 1 + rate * 0.7);
  },
  GUARD,
);

proves(
  ['QU-1', 'QU-4'],
  'one turn is charged once: looking for more mail afterwards costs nothing of the rate',
  async () => {
    await world.setLimits({ fleet: { turnsPerSecond: 0.2 } });
    await world.accept('frugal', 'main-0');
    await world.manyEnded('frugal', 1);
    const { turns, work, keyspace } = world.platform;
    await waitUntil(
      'its activation has ended',
      () => turns.activationQueues[0]?.getJobCounts('active', 'delayed', 'wait'),
      (counts) => Object.values(counts ?? {}).every((count) => count === 0),
    );
    // GCRA's theoretical arrival time, in microseconds: one turn costs 5 s.
    const paidUntil = Number(await work.get(keyspace.limits('rate:f'))) / 1000;
    const at = world.asked[0]?.at ?? expect.fail();
    expect(paidUntil).toBeGreaterThan(at);
    expect(paidUntil).toBeLessThanOrEqual(at + 5000);
  },
  GUARD,
);
