import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageId, turnIdOf } from '#kernel';
import type { OutboxRow, Receipt } from '#contracts';
import { Receipts } from './index.js';
import { LanesWorld, openLanes, rowOf } from '../../test/lanes-world.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const RECEIPT: Receipt = { state: 'sent', platformIds: ['p1'], at: 1, possibleDuplicate: false };
const quiet = new AbortController().signal;
let rows = 0;

function newRow(): OutboxRow {
  const turn = turnIdOf(
    messageId({ channel: 'c', account: 'a', conversation: 'c', kind: 'message', platformId: String(++rows) }),
    0,
  );
  return { ...rowOf('receipts', turn, 1, 'text'), notify: world.platform.receipts.process };
}

/** As a dispatcher of another process ends a row. */
async function finish(row: OutboxRow, announce: boolean): Promise<void> {
  const { work, keyspace, receipts } = world.platform;
  await work.set(world.receiptKey(row), Receipts.final(RECEIPT), 'PX', 60_000);
  if (announce) await work.publish(keyspace.receiptChannel(receipts.process), row.id);
}

test('TO-1 a wait ends with the receipt, at once when it is announced', async () => {
  const row = newRow();
  const waiting = world.platform.receipts.wait(row, 20_000, quiet);
  await finish(row, true);
  expect(await waiting).toEqual(RECEIPT);
});

test('B103 a receipt that nobody announced is found anyway', async () => {
  const row = newRow();
  const waiting = world.platform.receipts.wait(row, 20_000, quiet);
  await finish(row, false);
  expect(await waiting).toEqual(RECEIPT);
});

test('TO-1 a wait that ends before the receipt answers nothing, and one without time looks once', async () => {
  expect(await world.platform.receipts.wait(newRow(), 50, quiet)).toBeUndefined();
  const row = newRow();
  await finish(row, false);
  expect(await world.platform.receipts.wait(row, 0, quiet)).toEqual(RECEIPT);
});

test('TU-4 a wait rejects with the reason of its signal', async () => {
  const abort = new AbortController();
  const waiting = world.platform.receipts.wait(newRow(), 20_000, abort.signal);
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

test('G5 a row that is queued or started has no receipt yet', async () => {
  const { work, receipts } = world.platform;
  const row = newRow();
  for (const state of ['q', 's', 'q{"tries":1,"done":[]}']) {
    await work.set(world.receiptKey(row), state);
    expect(await receipts.find(row)).toBeUndefined();
  }
});

test('QU-1 two processes have announcements of their own', async () => {
  const other = await openLanes(world.redis.url);
  expect(other.receipts.process).not.toBe(world.platform.receipts.process);
  await other.close();
});
