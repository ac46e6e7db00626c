import { afterAll, beforeAll, expect, test } from 'vitest';
import { LeaseLostError } from '#kernel';
import { sessionOf } from '../../test/harness/mail.js';
import { LanesWorld } from '../../test/lanes-world.js';

const MONTH_MS = 2_592_000_000;

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const archive = (conversation: string, epoch: number): string =>
  world.platform.keyspace.archivePrefix(sessionOf(conversation)) + epoch;
const reset = (conversation: string, fence: string, settings = {}) =>
  world.state(conversation, fence).reset({ archiveTtlMs: MONTH_MS, settings });

test('RT-3 a reset archives what was said, starts the counters again and keeps settings it does not name', async () => {
  const { sessions, work } = world.platform;
  await sessions.changeSettings(sessionOf('new'), { model: 'openai/big', queueMode: 'collect' });
  await world.accept('new', 1);
  await world.answer('new', '5.1.a', await world.takeTurn('new', '5.1.a'));
  await world.accept('new', 2);
  const taken = await world.takeTurn('new', '6.1.a');
  expect(await reset('new', '6.1.a', { model: null })).toEqual({ epoch: 1, begun: true });
  expect(await sessions.transcript(sessionOf('new'), 10)).toEqual([]);
  expect(await work.llen(archive('new', 0))).toBe(1);
  expect(await work.pttl(archive('new', 0))).toBeGreaterThan(MONTH_MS - 60_000);
  expect(await sessions.state(sessionOf('new'))).toMatchObject({
    epoch: 1,
    beganAt: undefined,
    settings: { queueMode: 'collect' },
  });
  await world.answer('new', '6.1.a', taken);
  const { now, beganAt } = await sessions.state(sessionOf('new'));
  expect(now - (beganAt ?? 0)).toBeLessThan(60_000);
  expect(await sessions.transcript(sessionOf('new'), 10)).toHaveLength(1);
});

test('RT-3 a turn resets once, however often it is resumed; the next one resets again', async () => {
  await world.accept('once', 1);
  await world.answer('once', '5.1.a', await world.takeTurn('once', '5.1.a'));
  await world.accept('once', 2);
  await world.takeTurn('once', '6.1.a');
  expect(await reset('once', '6.1.a')).toEqual({ epoch: 1, begun: true });
  const resumed = await world.takeTurn('once', '6.2.b');
  expect(await reset('once', '6.2.b')).toEqual({ epoch: 1, begun: false });
  await world.answer('once', '6.2.b', resumed);
  await world.accept('once', 3);
  await world.takeTurn('once', '7.1.a');
  expect(await reset('once', '7.1.a')).toEqual({ epoch: 2, begun: true });
  expect(await world.platform.work.llen(archive('once', 1))).toBe(1);
});

test('G2 RT-3 a claim that was superseded, or has no open turn, resets nothing and sets nothing', async () => {
  await world.accept('fenced', 1);
  await world.takeTurn('fenced', '5.1.a');
  const taken = await world.takeTurn('fenced', '5.2.b');
  await expect(reset('fenced', '5.1.a')).rejects.toThrow(LeaseLostError);
  await expect(world.state('fenced', '5.1.a').changeSettings({ model: 'x/y' })).rejects.toThrow(LeaseLostError);
  await world.answer('fenced', '5.2.b', taken);
  await expect(reset('fenced', '5.2.b')).rejects.toThrow(LeaseLostError);
  expect(await world.platform.sessions.state(sessionOf('fenced'))).toMatchObject({ epoch: 0, settings: {} });
});
