import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { SessionKey } from '#kernel';
import { LaneWorker, type Claim, type ClaimEnd } from '#lanes';
import { sessionOf } from './harness/mail.js';
import { LanesWorld, openLanes } from './lanes-world.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const SETTINGS = { concurrency: 5, lockMs: 1500, stalledCheckMs: 300 };
/** Long enough that only a promotion explains an earlier run. */
const LONG_MS = 600_000;

let world: LanesWorld;
let worker: LaneWorker<SessionKey>;
/** What the test does with a claim; by default it answers everything. */
let work: (claim: Claim<SessionKey>) => Promise<ClaimEnd>;
let claims: Claim<SessionKey>[] = [];

beforeAll(async () => {
  world = await LanesWorld.open();
  const { turns, work: redis, keyspace } = world.platform;
  const run = (claim: Claim<SessionKey>): Promise<ClaimEnd> => {
    claims.push(claim);
    return work(claim);
  };
  worker = new LaneWorker(turns, redis, keyspace, SETTINGS, run, () => undefined);
  await worker.ready();
});
afterAll(async () => {
  await worker.close();
  await world.close();
});
beforeEach(() => {
  claims = [];
  work = answerAll;
});

/** What a runner does, with the conversation's name as the last part of its session. */
async function answerAll({ key, fence, activationId, token, signal }: Claim<SessionKey>): Promise<ClaimEnd> {
  const conversation = key.split('.').at(-1) ?? '';
  const mailbox = world.platform.mailboxes.of({ key, fence, activationId, token, signal });
  let take = await mailbox.take({ most: 9, history: 0 });
  while (take.kind === 'turn') take = await world.answer(conversation, fence, take);
  if (take.kind === 'tooEarly') return { kind: 'later', ms: take.ms, recheck: () => mailbox.recheck() };
  return { kind: 'done' };
}

const ended = async (conversation: string): Promise<number> =>
  (await world.platform.sessions.transcript(sessionOf(conversation), 99)).flatMap(({ inputs }) => inputs).length;
const until = (conversation: string, count: number): Promise<number> =>
  waitUntil(
    `${conversation} has ${count} ends`,
    () => ended(conversation),
    (seen) => seen >= count,
    10_000,
  );
const activations = (): Promise<Record<string, number>> =>
  world.platform.turns.activationQueues[0]?.getJobCounts('wait', 'active', 'delayed') ?? Promise.reject(new Error('no bucket'));
const idle = (): Promise<unknown> =>
  waitUntil(
    'no activation is left',
    activations,
    ({ wait, active, delayed }) => wait === 0 && active === 0 && delayed === 0,
    10_000,
  );

/** A promise and its key. */
function gate(): { open: () => void; opened: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
}

describe('no message is stranded', () => {
  proves(
    ['QU-1', 'G3'],
    'one that comes between the last empty take and the end of the activation is run by the next one',
    async () => {
      work = async (claim) => {
        const end = await answerAll(claim);
        work = answerAll;
        await world.accept('late', 2);
        return end;
      };
      await world.accept('late', 1);
      await until('late', 2);
      await idle();
      expect(claims).toHaveLength(2);
    },
  );

  proves(['QU-1', 'B072'], 'any number of wake-ups during a run make one more run, with a higher fence', async () => {
    const [entered, leave] = [gate(), gate()];
    work = async () => {
      entered.open();
      await leave.opened;
      return { kind: 'done' };
    };
    const session = sessionOf('woken');
    await world.platform.turns.activate(session);
    await entered.opened;
    await Promise.all(Array.from({ length: 5 }, () => world.platform.turns.activate(session)));
    leave.open();
    await idle();
    expect(claims.map(({ key }) => key)).toEqual([session, session]);
    const [first, second] = claims.map(({ activationId }) => Number(activationId));
    expect(second).toBeGreaterThan(first ?? Infinity);
  });

  proves(
    ['QU-2', 'QU-1'],
    'a command that races with the delay of its quiet window is answered at once, 40 times',
    async () => {
      for (let round = 0; round < 40; round++) {
        const conversation = `race-${round}`;
        await world.accept(conversation, 1, { quietMs: 60_000 });
        // From "not fetched yet" to "delayed already", in steps that cover the moments in between.
        for (let tick = 0; tick < round % 8; tick++) await world.platform.work.ping();
        await world.accept(conversation, 2, { flush: true });
      }
      await Promise.all(Array.from({ length: 40 }, (_, round) => until(`race-${round}`, 2)));
    },
    { timeout: 20_000 },
  );
});

describe('fences never go back', () => {
  proves(
    ['QU-1', 'TU-1'],
    'a session whose fence is ahead of the counter is answered: the counter is raised above it',
    async () => {
      const { work: redis, keyspace, turns } = world.platform;
      await redis.hset(keyspace.head(sessionOf('ahead')), 'fence', '8000000000000.1.dead');
      work = async (claim) => {
        const take = await world.platform.mailboxes.of(claim).take({ most: 1, history: 0 });
        expect(take).toEqual({ kind: 'rolledBack', fence: '8000000000000.1.dead' });
        work = answerAll;
        await turns.raiseFloorAbove(claim.key, '8000000000000.1.dead');
        await turns.activate(claim.key);
        return { kind: 'done' };
      };
      await world.accept('ahead', 1);
      await until('ahead', 1);
      expect(Number(claims.at(-1)?.activationId)).toBeGreaterThan(8_000_000_000_000);
    },
  );

  proves(['QU-1', 'TU-1'], 'an emptied Redis gives ids from its clock, above all that were given before', async () => {
    const { redis, platform } = world;
    const counter = platform.keyspace.activation('turns', platform.keyspace.bucketOf(sessionOf('floor')), 'id');
    await redis.cli('FLUSHALL');
    await redis.cli('CLIENT', 'KILL', 'TYPE', 'normal');
    await waitUntil(
      'the floor is raised',
      () => redis.cli('GET', counter),
      (id) => Number(id) > 1_700_000_000_000,
      10_000,
    );
    const [seconds] = (await redis.cli('TIME')).split('\n');
    expect(Math.abs(Number(await redis.cli('GET', counter)) / 1000 - Number(seconds))).toBeLessThan(10);
    await world.accept('floor', 1);
    await until('floor', 1);
  });
});

describe('the sweeper', () => {
  proves(['QU-1', 'G3'], 'heals a session whose activation was removed, and counts it; then it finds nothing', async () => {
    const { turns, sweeper } = world.platform;
    await turns.activationQueues[0]?.pause();
    await world.accept('stranded', 1);
    for (const job of (await turns.activationQueues[0]?.getJobs(['wait'])) ?? []) await job.remove();
    await turns.activationQueues[0]?.resume();
    expect(await sweeper.sweep(0)).toMatchObject({ mail: 1, rows: 0 });
    await until('stranded', 1);
    await idle();
    expect(await sweeper.sweep(0)).toMatchObject({ mail: 0, rows: 0 });
  });

  proves('QU-1', 'finds nothing while sessions are busy with their work, delayed or in a quiet window', async () => {
    const [entered, leave] = [gate(), gate()];
    await world.accept('healthy-quiet', 1, { quietMs: 60_000 });
    await waitUntil('it waits', activations, ({ delayed }) => delayed === 1, 10_000);
    work = async (claim) => {
      entered.open();
      await leave.opened;
      return answerAll(claim);
    };
    await world.accept('healthy', 1);
    await entered.opened;
    expect(await world.platform.sweeper.sweep(0)).toMatchObject({ mail: 0, rows: 0 });
    leave.open();
    await until('healthy', 1);
    await world.accept('healthy-quiet', 2, { flush: true });
    await until('healthy-quiet', 2);
  });
});

proves('QU-1', 'a wake-up is due by the clock of Redis, whatever the host that delayed it believed', async () => {
  const { platform } = world;
  work = async (claim) => {
    work = answerAll;
    await platform.turns.wakeIn(claim.key, 50);
    return { kind: 'later', ms: LONG_MS };
  };
  await world.accept('due', 1);
  await waitUntil('it is delayed', activations, ({ delayed }) => delayed === 1, 10_000);
  const other = await openLanes(world.redis.url);
  await waitUntil(
    'another process wakes it',
    () => other.turns.wakeDue().then(() => ended('due')),
    (count) => count === 1,
    10_000,
  );
  await other.close();
});
