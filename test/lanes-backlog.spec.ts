import { afterEach, expect } from 'vitest';
import { AdmissionWorld, candidates } from './admission-world.js';
import { sessionOf } from './harness/mail.js';
import { LanesWorld } from './lanes-world.js';
import { proves } from './proves.js';

let close: (() => Promise<void>) | undefined;
afterEach(async () => close?.());

async function opened(options?: { buckets: number }): Promise<LanesWorld> {
  const world = await LanesWorld.open(options);
  close = () => world.close();
  return world;
}

/** As if a message had been accepted so long ago. */
async function age({ platform }: LanesWorld, conversation: string, byMs: number): Promise<void> {
  const { work, keyspace } = platform;
  const session = sessionOf(conversation);
  const [id = ''] = await work.lrange(keyspace.mailbox(session, 'wait'), -1, -1);
  await work.hincrby(keyspace.mailbox(session, id), 'a', -byMs);
}

proves(['OP-4', 'OP-8'], 'over all buckets: sessions that wait, and how old the mail is that is next', async () => {
  const world = await opened({ buckets: 4 });
  const { backlog } = world.platform;
  expect(await backlog.read()).toMatchObject({ sessionsReady: 0, turns: { waiting: 0, active: 0, oldestAgeMs: 0 } });
  for (let n = 0; n < 30; n++) await world.accept(`c${n}`, 1);
  await world.accept('c7', 2);
  await age(world, 'c7', 60_000);
  const { turns, sessionsReady, jobs } = await backlog.read();
  expect(turns).toMatchObject({ waiting: 30, active: 0, delayed: 0 });
  expect(sessionsReady).toBe(30);
  expect(turns.oldestAgeMs).toBeGreaterThanOrEqual(60_000);
  expect(turns.oldestAgeMs).toBeLessThan(120_000);
  expect(jobs).toContainEqual({ queue: 'turns', state: 'waiting', count: 30 });
});

proves(['OP-4'], 'deliveries that have not left are as old as the first of them', async () => {
  const world = await opened();
  await world.accept('c', 1);
  await world.answer('c', '1.1.a', await world.takeTurn('c', '1.1.a'));
  const { work, keyspace, backlog } = world.platform;
  const [key = ''] = await work.keys(`${keyspace.prefix(world.platform.keyspace.buckets[0] ?? expect.fail())}:d:*`);
  const delivery = JSON.parse((await work.lindex(key, 0)) ?? '{}') as { row: { at: number } };
  delivery.row.at -= 30_000;
  await work.lset(key, 0, JSON.stringify(delivery));
  const { deliveries } = await backlog.read();
  expect(deliveries).toMatchObject({ waiting: 1, active: 0 });
  expect(deliveries.oldestAgeMs).toBeGreaterThanOrEqual(30_000);
});

proves(['OP-4', 'OP-8'], 'asking costs as many commands with 500 sessions as with 20', async () => {
  const world = await opened();
  const { backlog, work } = world.platform;
  const cost = async (): Promise<number> => {
    const commands = async () => Number(/^total_commands_processed:(\d+)/m.exec(await work.info('stats'))?.[1]);
    const before = await commands();
    await backlog.read();
    return (await commands()) - before;
  };
  await backlog.read();
  for (let n = 0; n < 20; n++) await world.accept(`c${n}`, 1);
  const few = await cost();
  for (let n = 20; n < 500; n++) await world.accept(`c${n}`, 1);
  expect(await cost()).toBe(few);
});

proves(['OP-8', 'QU-4'], 'what limits hold back calls for no more runners; what only lacks room does', async () => {
  const world = await AdmissionWorld.open();
  close = () => world.close();
  const { backlog } = world.one;
  await world.limited({ tenants: { hog: { concurrency: 1 } } }, 2);
  expect(await world.letIn([...candidates('hog', 5), ...candidates('acme', 5)])).toEqual(['hog-main-0', 'acme-main-0']);
  expect(await backlog.read()).toMatchObject({ sessionsReady: 8, turns: { waiting: 4 }, slots: { running: 2, waiting: 8 } });
  await world.setLimits({ fleet: { concurrency: 3 }, tenants: { hog: { concurrency: 1 } } });
  expect(await backlog.read()).toMatchObject({ sessionsReady: 8, turns: { waiting: 1 } });
  const since = world.one.keyspace.limits('since');
  for (const first of ['hog-main-1', 'acme-main-1']) await world.one.work.zincrby(since, -60_000, first);
  expect((await backlog.read()).turns.oldestAgeMs).toBeGreaterThanOrEqual(60_000);
  // Each makes room for the next of its tenant: nobody who still waits has waited for long.
  for (const tenant of ['hog', 'acme']) for (const first of candidates(tenant, 1)) await world.one.admission.free(first, 1);
  expect((await backlog.read()).turns.oldestAgeMs).toBeLessThan(60_000);
});
