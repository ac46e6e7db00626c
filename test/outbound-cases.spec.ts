import { afterEach, expect } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { conversationOf } from '#host';
import type { OutboxRowId, TenantId } from '#kernel';
import { DeliveryWorld, telegramTo, webhookTo } from './delivery-world.js';
import { Doorway } from './fakes/doorway.js';
import type { Fault } from './fakes/scripted-server.js';
import { startTelegramServer, telegramFault } from './fakes/telegram-server.js';
import { sumOf } from './harness/metric-text.js';
import { UNPACED } from './harness/unpaced.js';
import { waitUntil } from './harness/wait-until.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';

const HOUR_MS = 3_600_000;
const GUARD = { timeout: 120_000 };

let world: DeliveryWorld;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of [() => world.close(), ...closing.splice(0)]) await close();
});

const nothingIsBusy = () =>
  waitUntil(
    'nothing is on its way',
    () => world.platform.busy.count('deliveries'),
    (count) => count === 0,
  );
const letters = () => world.platform.deadLetters.list('default' as TenantId, 200, undefined);

proves(
  ['B025', 'OUT-1', 'G5'],
  'a restart: nothing delivered is sent again, what waits is sent once, in order and no faster than allowed, what is too old is kept, not sent, and summed up',
  async () => {
    const rate = { count: 3, perMs: 500 };
    world = await DeliveryWorld.open({ bot: { rates: { bot: rate } } });
    const [dispatcher] = await world.fleet.start('dispatcher');
    const target = webhookTo('dedupe', 'b025');
    const delivered = await world.send(target, ...Array.from({ length: 100 }, (_, n) => `delivered ${n + 1}`));
    await nothingIsBusy();
    if (dispatcher) world.fleet.kill(dispatcher);
    await dispatcher?.exited;

    // Of all of them only the mark in the outbox is lost, of five the receipt too.
    for (const row of delivered.slice(0, 5)) await world.platform.work.set(receiptOf(row), 's{"tries":0,"done":[]}');
    const pending = Array.from({ length: 8 }, (_, n) => `pending ${n + 1}`);
    const tooOld = Array.from({ length: 6 }, (_, n) => `old ${n + 1}`);
    await world.relay(delivered);
    await putBack(delivered.slice(0, 5));
    await world.relay(world.rowsTo(target, tooOld, { at: Date.now() - 15 * HOUR_MS }));
    await world.relay(world.rowsTo(target, pending, { at: Date.now() - 120_000 }));
    for (const text of pending) await world.relay(world.rowsTo(telegramTo(text.slice(-1)), [text], { at: Date.now() - 120_000 }));
    const before = world.dedupe.attempts.length;
    const [next] = await world.fleet.start('dispatcher');
    await nothingIsBusy();

    expect(world.telegram.posts.map(({ text }) => text).toSorted()).toEqual(pending);
    const arrivals = world.telegram.calls.map(({ at }) => at);
    for (const [n, at] of arrivals.slice(rate.count).entries())
      expect(at - (arrivals[n] ?? at), `${rate.count + 1} within`).toBeGreaterThanOrEqual(rate.perMs);
    // One figure for all of them, which an alert watches.
    const metrics = next ? await new OpsOf(next).metrics() : '';
    expect(sumOf(metrics, 'turnpike_dead_letters_total', { queue: 'deliveries', reason: 'dead' })).toBe(tooOld.length);
    expect(world.dedupe.messages.map(({ text }) => text)).toEqual([...delivered.map(({ text }) => text), ...pending]);
    const again = world.dedupe.attempts.slice(before).map(({ key }) => key);
    expect(new Set(again).size).toBe(5 + 8);
    expect((await letters()).map(({ row, reason }) => `${row.text}: ${reason}`).toSorted()).toEqual(
      tooOld.map((text) => `${text}: expired`),
    );
  },
  GUARD,
);

const receiptOf = (row: OutboxRow): string => world.platform.keyspace.receipt(conversationOf(row), row.id as OutboxRowId);

/** As if they had been taken and never acknowledged. */
async function putBack(rows: readonly OutboxRow[]): Promise<void> {
  const { work, keyspace, deliveries } = world.platform;
  const [conversation] = rows.map((row) => conversationOf(row));
  if (!conversation) return;
  await work.rpush(
    keyspace.deliveries(conversation),
    ...rows.map((row) => JSON.stringify({ id: row.id, number: 0, row: { ...row, at: Date.now() } })),
  );
  await deliveries.activate(conversation);
}

proves(
  ['B040', 'OUT-1', 'T3'],
  'a group that is told to wait is left alone by every dispatcher and topic until it may go on, in order; other chats do not wait',
  async () => {
    world = await DeliveryWorld.open({ bot: { rates: UNPACED } });
    const dispatchers = await world.fleet.start('dispatcher', 2);
    const topics = ['11', '12', '13'].map((thread): Target => ({ ...telegramTo('-100200'), thread }));
    const usual: Fault = { kind: 'slow', ms: 0 };
    world.telegram.fail(
      ...Array.from({ length: 20 }, () => usual),
      telegramFault.floodWait(3),
      ...Array.from({ length: 4 }, () => usual),
      telegramFault.floodWait(2),
    );
    const texts = Array.from({ length: 10 }, (_, n) => `${n + 1}`);
    await Promise.all(topics.map((topic) => world.send(topic, ...texts)));
    await waitUntil('it is told to wait', () => floods().length, Boolean);
    const asked = performance.now();
    await world.send(telegramTo('42'), 'hello');
    await world.telegram.nextMessages('42', 1);
    expect(performance.now() - asked).toBeLessThan(2500);
    await nothingIsBusy();
    for (const topic of topics) {
      const shown = world.telegram.posts.filter(({ threadId }) => String(threadId) === topic.thread).map(({ text }) => text);
      expect(shown).toEqual(texts);
    }
    const ofGroup = world.telegram.calls.filter(({ chatId }) => chatId === '-100200');
    for (const { answeredAt = 0, retryAfterMs } of floods()) {
      const meanwhile = ofGroup.filter(({ at }) => at > answeredAt + ON_ITS_WAY_MS && at < answeredAt + retryAfterMs);
      expect(meanwhile).toEqual([]);
    }
    expect(dispatchers.every((member) => world.fleet.members.has(member))).toBe(true);
    expect(await letters()).toEqual([]);
    const metrics = (await Promise.all(dispatchers.map((member) => new OpsOf(member).metrics()))).join('');
    expect(sumOf(metrics, 'turnpike_ratelimit_wait_seconds_count', { scope: 'platform' })).toBe(floods().length);
  },
  GUARD,
);

/** What the other topics had sent off, or all but, when the platform said no. */
const ON_ITS_WAY_MS = 1000;

function floods() {
  const told = world.telegram.calls.filter(({ answered }) => answered === 429);
  return told.map((call, index) => ({ ...call, retryAfterMs: index === 0 ? 3000 : 2000 }));
}

proves(
  ['B051', 'OUT-1', 'G5'],
  'a connection that never stood is tried again and the message arrives once; one cut behind the request is a dead letter in doubt',
  async () => {
    const telegram = await startTelegramServer();
    const door = await Doorway.before(telegram.url);
    closing.push(
      () => door.shut(),
      () => telegram.close(),
    );
    world = await DeliveryWorld.open({ bot: { apiRoot: door.url, rates: UNPACED } });
    const [dispatcher] = await world.fleet.start('dispatcher');
    await door.shut();
    const [row] = await world.send(telegramTo('51'), 'never connected');
    await waitUntil(
      'it was tried',
      () => world.platform.work.get(row ? receiptOf(row) : ''),
      (state) => /"tries":[1-9]/.test(state ?? ''),
    );
    await door.open();
    await nothingIsBusy();
    expect(telegram.posts.map(({ text }) => text)).toEqual(['never connected']);

    telegram.fail({ kind: 'reset' });
    await world.send(telegramTo('52'), 'cut off');
    await nothingIsBusy();
    expect(telegram.calls.filter(({ chatId }) => chatId === '52')).toHaveLength(1);
    expect(await letters()).toMatchObject([{ state: 'unknown', row: { text: 'cut off' } }]);
    const metrics = dispatcher ? await new OpsOf(dispatcher).metrics() : '';
    expect(metrics).toMatch(/^turnpike_dead_letters_total\{queue="deliveries",reason="unknown".*\} 1$/m);
  },
  GUARD,
);
