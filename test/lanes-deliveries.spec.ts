import { afterAll, beforeAll, expect } from 'vitest';
import type { OutboxRow } from '#contracts';
import { conversationOf } from '#host';
import { turnIdOf, type ConversationKey } from '#kernel';
import { LaneWorker, type Claim, type ClaimEnd, type DeliveryMailbox, type NumberedRow } from '#lanes';
import { Receipts } from '#sessions';
import { envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, openLanes, rowOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const SENT = Receipts.final({ state: 'sent', platformIds: ['p1'], at: 1, possibleDuplicate: false });
const rowsOf = (conversation: string, count: number): NumberedRow[] => {
  const turn = turnIdOf(envelopeOf(targetOf(conversation), 1, '').id, 0);
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    row: rowOf(conversation, turn, index + 1, `text ${index + 1}`),
  }));
};
const keyOf = ({ row }: NumberedRow) => conversationOf(row);
const first = <T>(list: readonly T[]): T => list[0] ?? expect.fail('the list is empty');

/** A dispatcher's hold on the conversation of `row`. */
function dispatcher(row: NumberedRow, fence: string): DeliveryMailbox {
  const activationId = fence.split('.')[0] ?? '';
  return world.conversation({
    key: keyOf(row),
    fence,
    activationId,
    token: `token-${fence}`,
    signal: new AbortController().signal,
  });
}

const texts = (take: Awaited<ReturnType<DeliveryMailbox['take']>>): string[] =>
  take.kind === 'deliveries' ? take.deliveries.map(({ row }) => row.text) : [];

proves(['OUT-1', 'G5'], 'rows relayed twice wait once, in order; one that is final already never comes back', async () => {
  const rows = rowsOf('twice', 3);
  await world.platform.relay.relay(rows);
  await world.platform.relay.relay(rows);
  const mine = dispatcher(first(rows), '5.1.a');
  const take = await mine.take(9);
  expect(texts(take)).toEqual(['text 1', 'text 2', 'text 3']);
  for (const [index, row] of rows.entries()) await mine.ack(row, SENT, rows[index + 1]?.row);
  await world.platform.relay.relay(rows);
  expect(await dispatcher(first(rows), '6.1.a').take(9)).toEqual({ kind: 'released' });
});

proves(
  ['G5', 'QU-1'],
  'the fence of a conversation outlives its release: a dispatcher that slept can neither claim, mark nor acknowledge',
  async () => {
    const rows = rowsOf('slept', 2);
    await world.platform.relay.relay(rows.slice(0, 1));
    const zombie = dispatcher(first(rows), '5.1.a');
    expect(texts(await zombie.take(9))).toEqual(['text 1']);
    const heir = dispatcher(first(rows), '5.2.b');
    await heir.take(9);
    expect(await heir.ack(first(rows), SENT, undefined)).toMatchObject({ left: 0 });
    expect(await heir.take(9)).toEqual({ kind: 'released' });
    await world.platform.relay.relay(rows.slice(1));
    expect(await zombie.take(9)).toEqual({ kind: 'superseded' });
    expect(await zombie.mark(first(rows.slice(1)).row, 'q{}')).toBe(false);
    expect(await zombie.ack(first(rows.slice(1)), SENT, undefined)).toBeUndefined();
    expect(texts(await dispatcher(first(rows), '6.1.b').take(9))).toEqual(['text 2']);
  },
);

proves(['OUT-1', 'G5'], 'an acknowledgement that is sent again after a reconnect drops only its own row', async () => {
  const rows = rowsOf('resent', 2);
  await world.platform.relay.relay(rows);
  const mine = dispatcher(first(rows), '5.1.a');
  await mine.take(9);
  await mine.ack(first(rows), SENT, rows[1]?.row);
  expect(await mine.ack(first(rows), SENT, rows[1]?.row)).toMatchObject({ left: 1 });
  expect(texts(await dispatcher(first(rows), '5.2.b').take(9))).toEqual(['text 2']);
});

proves(
  ['G5', 'OUT-1'],
  'a delivery taken and not ended is known to be in doubt by the next dispatcher; one put back is not',
  async () => {
    const rows = rowsOf('doubt', 1);
    await world.platform.relay.relay(rows);
    expect(await dispatcher(first(rows), '5.1.a').take(9)).toMatchObject({ state: 'q' });
    const heir = dispatcher(first(rows), '5.2.b');
    expect(await heir.take(9)).toMatchObject({ state: 's' });
    await heir.mark(first(rows).row, 'q{"tries":1,"done":[]}');
    expect(await dispatcher(first(rows), '5.3.a').take(9)).toMatchObject({ state: 'q{"tries":1,"done":[]}' });
  },
);

proves(['G7', 'OUT-1'], 'a sent row leaves the outbox, and its session is not busy any more', async () => {
  await world.accept('done', 1);
  await world.answer('done', '5.1.a', await world.takeTurn('done', '5.1.a'));
  expect(await world.platform.busy.list('turns', 99)).toMatchObject([{ key: sessionOf('done') }]);
  await world.platform.relay.done(sessionOf('done'), 1);
  expect(await world.platform.busy.list('turns', 99)).toEqual([]);
});

proves(
  ['OUT-1', 'QU-1'],
  'a row whose dispatcher died between receipt and deletion is dropped by the sweeper, uncounted as stranded',
  async () => {
    await world.accept('orphan', 1);
    await world.answer('orphan', '5.1.a', await world.takeTurn('orphan', '5.1.a'));
    const row: OutboxRow = rowOf('orphan', turnIdOf(envelopeOf(targetOf('orphan'), 1, '').id, 0), 1, 'answer');
    const mine = dispatcher({ row, number: 1 }, '5.1.a');
    await mine.take(9);
    // In one slot the row goes with the receipt; with another number it stays, as it would in two slots.
    await mine.ack({ row, number: 0 }, SENT, undefined);
    for (const job of (await world.platform.turns.activationQueues[0]?.getJobs(['wait'])) ?? []) await job.remove();
    expect(await world.platform.sweeper.sweep(0)).toMatchObject({ mail: 0, rows: 0, finalRows: 1 });
    expect(await world.platform.busy.list('turns', 99)).toEqual([]);
  },
);

proves(['OUT-1', 'QU-1'], 'a dispatcher that comes too early waits again, by the clock of Redis', async () => {
  const [row] = rowsOf('early', 1);
  const { relay, work, keyspace } = world.platform;
  const waiting = row ?? expect.fail();
  await relay.relay([waiting]);
  await dispatcher(waiting, '5.1.a').take(9);
  await dispatcher(waiting, '5.1.a').hold(waiting.row, 'q', 60_000);
  const due = keyspace.due('deliveries', keyspace.bucketOf(keyOf(waiting)));
  await work.zrem(due, keyOf(waiting));
  expect(await dispatcher(waiting, '5.2.b').take(9)).toMatchObject({ kind: 'tooEarly' });
  expect(await work.zscore(due, keyOf(waiting))).not.toBeNull();
});

// Last, because its worker ends the activations of the others too.
proves(['OUT-1', 'QU-1'], 'a conversation held back wakes by the clock of Redis, for any process', async () => {
  const rows = rowsOf('held', 1);
  const { deliveries, relay, work, keyspace } = world.platform;
  const [delayed, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()];
  const run = async (claim: Claim<ConversationKey>): Promise<ClaimEnd> => {
    if (claim.key !== keyOf(first(rows))) return { kind: 'done' };
    const mine = world.conversation(claim);
    const take = await mine.take(9);
    if (claim.fence.includes('.1.')) {
      await mine.hold(first(rows).row, 'q', 1);
      // As a host that is ten minutes ahead and dies would leave it.
      return { kind: 'later', ms: 600_000, recheck: async () => delayed.resolve() };
    }
    taken.resolve(texts(take));
    return { kind: 'done' };
  };
  const worker = new LaneWorker(
    deliveries,
    work,
    keyspace,
    { concurrency: 1, lockMs: 1500, stalledCheckMs: 300 },
    run,
    () => undefined,
  );
  await relay.relay(rows);
  await delayed.promise;
  const other = await openLanes(world.redis.url);
  await other.deliveries.wakeDue();
  expect(await taken.promise).toEqual(['text 1']);
  await Promise.all([worker.close(), other.close()]);
});
