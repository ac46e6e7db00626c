import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { limitsSchema, type LimitsConfig } from '#config';
import { AdmissionScript, type Candidate } from '#lanes';
import { candidate } from './admission-world.js';
import { LanesWorld } from './lanes-world.js';
import { proves } from './proves.js';

const GUARD = { timeout: 120_000 };
const TENANTS = ['a', 'b', 'c'];
const AGENTS = ['x', 'y'];
const KEYS = TENANTS.flatMap((tenant) =>
  AGENTS.flatMap((agent) => Array.from({ length: 4 }, (_, n) => candidate(`${tenant}-${agent}-${n}`, { tenant, agent }))),
);

type Step =
  | { do: 'admit'; key: number; resumes: boolean; twice: boolean }
  | { do: 'free'; key: number; turns: number; twice: boolean }
  | { do: 'class'; key: number; of: 'automation' | 'background' }
  | { do: 'kill'; key: number }
  | { do: 'pump' }
  | { do: 'limits'; limits: LimitsConfig };

let world: LanesWorld;
let script: AdmissionScript;
beforeAll(async () => {
  world = await LanesWorld.open();
  script = new AdmissionScript(world.platform.work, world.platform.turns, world.platform.keyspace);
});
afterAll(async () => {
  script.stop();
  await world.close();
});

const slots = fc.constantFrom(0, 1, 2, 3, 5);
const ofTenant = fc.record({ weight: fc.integer({ min: 1, max: 9 }), concurrency: slots, agents: fc.constant({}) });
const limitsOf: fc.Arbitrary<LimitsConfig> = fc
  .record({
    fleet: fc.record({ concurrency: fc.integer({ min: 1, max: 12 }) }),
    tenant: fc.record({ concurrency: slots }),
    agent: fc.record({ concurrency: fc.constantFrom(1, 2, 4) }),
    tenants: fc.record({ a: ofTenant }),
  })
  .map((limits) => limitsSchema.parse(limits));

const key = fc.nat(KEYS.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('admit' as const), key, resumes: fc.boolean(), twice: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('free' as const), key, turns: fc.nat(3), twice: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('class' as const), key, of: fc.constantFrom('automation', 'background') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), key }) },
  { weight: 1, arbitrary: fc.constant({ do: 'pump' as const }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('limits' as const), limits: limitsOf }) },
);

/** Who has a slot and who waits, as plain sets: all there is to know but the order. */
interface Seen {
  running: string[];
  waiting: string[];
}

async function seen(): Promise<Seen> {
  const { work, keyspace } = world.platform;
  const name = (of: string): string => keyspace.limits(of);
  const [running, owned, waiting] = await Promise.all([
    work.zrangebyscore(name('run'), '-inf', '+inf'),
    work.hkeys(name('own')),
    work.hkeys(name('queued')),
  ]);
  expect(running.toSorted()).toEqual(owned.toSorted());
  return { running: running.toSorted(), waiting: waiting.toSorted() };
}

/** The model: what is counted where, and where there is room, said as plainly as possible. */
class Room {
  constructor(
    private readonly limits: LimitsConfig,
    private readonly running: readonly string[],
  ) {}

  /** Scopes that hold more than they may. */
  get over(): string[] {
    return this.running
      .flatMap((one) => this.scopes(one))
      .filter(({ used, most }) => used > most)
      .map(({ name }) => name);
  }

  isFor(one: string): boolean {
    return this.scopes(one).every(({ used, most }) => used < most);
  }

  private scopes(one: string): { name: string; used: number; most: number }[] {
    const [tenant = '', agent = ''] = one.split('-');
    const { fleet, tenant: every, agent: each, tenants } = this.limits;
    const within = (prefix: string): number => this.running.filter((other) => other.startsWith(prefix)).length;
    return [
      { name: 'fleet', used: within(''), most: fleet.concurrency || Infinity },
      { name: tenant, used: within(`${tenant}-`), most: (tenants[tenant]?.concurrency ?? every.concurrency) || Infinity },
      { name: `${tenant}-${agent}`, used: within(`${tenant}-${agent}-`), most: each.concurrency || Infinity },
    ];
  }
}

async function carryOut(what: Step): Promise<void> {
  const { work, keyspace, limits } = world.platform;
  if (what.do === 'limits') return void (await limits.change(() => what.limits));
  if (what.do === 'pump') return script.call('pump');
  const one: Candidate = { ...(KEYS[what.key] ?? expect.fail()), resumes: what.do === 'admit' && what.resumes };
  if (what.do === 'kill') {
    await work.zadd(keyspace.limits('run'), 'XX', 1, one.claim.key);
    return script.call('pump');
  }
  const call = () =>
    script.about(
      what.do === 'class' ? 'refile' : what.do,
      one,
      what.do === 'free' ? what.turns : 0,
      what.do === 'class' ? what.of : 'interactive',
    );
  await call();
  if (what.do === 'class' || !what.twice) return;
  const before = await seen();
  await call();
  expect(await seen()).toEqual(before);
}

proves(
  ['QU-4', 'G6'],
  'whatever is asked, freed, killed and changed: no limit is exceeded, nobody waits where there is room, nobody is forgotten',
  async () => {
    await fc.assert(
      fc.asyncProperty(limitsOf, fc.array(step, { minLength: 10, maxLength: 60 }), async (first, steps) => {
        await world.platform.work.flushall();
        let limits = first;
        let before: Seen = { running: [], waiting: [] };
        await carryOut({ do: 'limits', limits });
        for (const each of steps) {
          await carryOut(each);
          if (each.do === 'limits') limits = each.limits;
          const now = await seen();
          const room = new Room(limits, now.running);
          const lowered = new Room(limits, before.running).over;
          expect(room.over.filter((scope) => !lowered.includes(scope))).toEqual([]);
          expect(now.waiting.filter((one) => room.isFor(one))).toEqual([]);
          expect(now.waiting.filter((one) => now.running.includes(one))).toEqual([]);
          const forgotten = before.waiting.filter((one) => !now.waiting.includes(one) && !now.running.includes(one));
          expect(forgotten).toEqual([]);
          before = now;
        }
      }),
      { numRuns: 40 },
    );
  },
  GUARD,
);

proves(
  'QU-4',
  'any weights, any concurrency, any offered load: tenants that wait get turns by weight, never more than two turns off',
  async () => {
    const tenants = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 9 }), offers: fc.constantFrom(1, 2, 3) }), {
      minLength: 2,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(tenants, fc.integer({ min: 1, max: 4 }), async (all, concurrency) => {
        const { work, keyspace, limits } = world.platform;
        await work.flushall();
        const sum = all.reduce((total, { weight }) => total + weight, 0);
        const turns = 3 * sum;
        const weights = Object.fromEntries(all.map(({ weight }, n) => [`t${n}`, { weight }]));
        await limits.change(() => limitsSchema.parse({ fleet: { concurrency }, tenants: weights }));
        const holders = Array.from({ length: concurrency }, (_, n) => candidate(`holder-${n}`, { tenant: 'nobody' }));
        const waiting = all.flatMap(({ weight, offers }, n) =>
          Array.from({ length: 3 * weight * offers + concurrency + 2 }, (_, m) => candidate(`t${n}-${m}`, { tenant: `t${n}` })),
        );
        await Promise.all([...holders, ...waiting].map((each) => script.about('admit', each)));
        const running = [...holders];
        const got = new Map<string, number>();
        for (let count = 0; count < turns; count++) {
          await script.about('free', running.shift() ?? expect.fail(), 1);
          const owners = await work.hgetall(keyspace.limits('own'));
          const fresh =
            Object.keys(owners).find((one) => owners[one]?.startsWith('reserved')) ?? expect.fail('nobody was let in');
          const next = candidate(fresh, { tenant: fresh.split('-')[0] ?? '' });
          await script.about('admit', next);
          got.set(next.tenant, (got.get(next.tenant) ?? 0) + 1);
          running.push(next);
        }
        for (const [n, { weight }] of all.entries())
          expect(Math.abs((got.get(`t${n}`) ?? 0) - (turns * weight) / sum)).toBeLessThanOrEqual(2);
      }),
      { numRuns: 10 },
    );
  },
  GUARD,
);
