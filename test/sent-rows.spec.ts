import { afterAll, beforeAll, expect } from 'vitest';
import { conversationOf } from '#host';
import { messageId, turnIdOf, type OutboxRowId } from '#kernel';
import { LanesWorld, rowOf } from './lanes-world.js';
import { proves } from './proves.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

let rows = 0;
function newRow() {
  const id = messageId({ channel: 'c', account: 'a', conversation: 'c', kind: 'message', platformId: String(++rows) });
  const row = rowOf('sent-rows', turnIdOf(id, 0), 1, 'text');
  return { row, id: row.id as OutboxRowId, conversation: conversationOf(row) };
}

proves('B029', 'reports in any order, twice and late: each state is news once, and none after a further one', async () => {
  const { sentRows } = world.platform;
  const { row, id, conversation } = newRow();
  expect(await sentRows.newsOf(conversation, id, '0', 'sent')).toBe('forgotten');
  expect(await sentRows.settle(conversation, id, '0', 'sent')).toBe(false);
  await sentRows.keep(conversation, row);
  const seen = [];
  for (const state of ['delivered', 'sent', 'delivered', 'read', 'failed', 'read'] as const) {
    const news = await sentRows.newsOf(conversation, id, '0', state);
    const settled = await sentRows.settle(conversation, id, '0', state);
    expect(settled).toBe(news !== 'known');
    if (settled) seen.push(state);
  }
  expect(seen).toEqual(['delivered', 'read', 'failed']);
  expect(await sentRows.newsOf(conversation, id, '1', 'sent')).toEqual(row);
});

proves('B029', 'of two ingresses that hear one report at once, one sees to it', async () => {
  const { sentRows } = world.platform;
  const { row, id, conversation } = newRow();
  await sentRows.keep(conversation, row);
  const settled = await Promise.all(Array.from({ length: 5 }, () => sentRows.settle(conversation, id, '0', 'failed')));
  expect(settled.filter(Boolean)).toHaveLength(1);
});

proves(
  'OUT-1',
  'the time since something came in: unknown before, by the newest only, also when older news comes later',
  async () => {
    const { replyWindows } = world.platform;
    const { conversation } = newRow();
    const since = () => replyWindows.sinceInbound(conversation);
    await world.platform.work.del(world.platform.keyspace.lastInbound(conversation));
    expect(await since()).toBeUndefined();
    await replyWindows.cameIn(conversation, 40 * 86_400_000);
    expect(await since()).toBeUndefined();
    await replyWindows.cameIn(conversation, 90_000_000);
    expect(await since()).toBeGreaterThanOrEqual(90_000_000);
    await replyWindows.cameIn(conversation, 0);
    await replyWindows.cameIn(conversation, 5_000_000);
    expect(await since()).toBeLessThan(5_000_000);
  },
);
