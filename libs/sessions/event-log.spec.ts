import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TurnEvent } from '#contracts';
import { messageId, turnIdOf } from '#kernel';
import { sessionOf } from '../../test/harness/mail.js';
import { LanesWorld, rowOf } from '../../test/lanes-world.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const turn = turnIdOf(messageId({ channel: 'c', account: 'a', conversation: 'c', kind: 'message', platformId: '1' }), 0);
const started = (fence: string): TurnEvent => ({ type: 'turn.start', turn, fence, messages: [] });

/** The next `count` events behind `after`. */
async function follow(conversation: string, after: string, count: number): Promise<{ id: string; event: TurnEvent }[]> {
  const seen: { id: string; event: TurnEvent }[] = [];
  for await (const each of world.platform.events.follow(sessionOf(conversation), after, new AbortController().signal)) {
    seen.push(each);
    if (seen.length === count) break;
  }
  return seen;
}

test('OUT-3 a delivery to a web client is an event once, with the time of Redis, however often it is tried', async () => {
  const row = rowOf('once', turn, 1, 'hello');
  await Promise.all(Array.from({ length: 5 }, () => world.platform.events.appendMessage(row)));
  await world.platform.events.appendMessage(rowOf('once', turn, 2, 'world'));
  const texts = (await follow('once', '0-0', 2)).map(({ event }) =>
    event.type === 'message' ? [event.text, event.deliveredAt > 1e12] : [],
  );
  expect(texts).toEqual([
    ['hello', true],
    ['world', true],
  ]);
});

test('OUT-3 a reader that comes back with its last id misses nothing and gets nothing twice', async () => {
  await world.accept('resume', 1);
  await world.takeTurn('resume', '5.1.a');
  await world.state('resume', '5.1.a').emit([started('5.1.a'), started('5.1.a'), started('5.1.a')]);
  const [first, second] = await follow('resume', '0-0', 2);
  const rest = await follow('resume', first?.id ?? '', 2);
  expect(rest[0]?.id).toBe(second?.id);
  expect(await world.platform.events.cursor(sessionOf('resume'))).toBe(rest[1]?.id);
});

test('G2 a superseded claim emits nothing', async () => {
  await world.accept('zombie', 1);
  await world.takeTurn('zombie', '5.1.a');
  await world.takeTurn('zombie', '5.2.b');
  await world.state('zombie', '5.1.a').emit([started('5.1.a')]);
  await world.state('zombie', '5.2.b').emit([started('5.2.b')]);
  expect((await follow('zombie', '0-0', 1)).map(({ event }) => event)).toEqual([started('5.2.b')]);
});

test('B103 an event whose announcement was lost is seen all the same, and a reader leaves no subscription behind', async () => {
  const { work, keyspace, events } = world.platform;
  const session = sessionOf('silent');
  const abort = new AbortController();
  const reading = events.follow(session, '0-0', abort.signal);
  const next = reading.next();
  await work.xadd(keyspace.events(session), '*', 'e', JSON.stringify(started('5.1.a')));
  expect((await next).value?.event).toEqual(started('5.1.a'));
  abort.abort();
  expect((await reading.next()).done).toBe(true);
  await world.platform.subscriptions.alive();
  expect(await work.pubsub('NUMSUB', keyspace.events(session))).toEqual([keyspace.events(session), 0]);
});

test('G7 B108 the events of a session end by themselves', async () => {
  const { work, keyspace } = world.platform;
  expect(await work.pttl(keyspace.events(sessionOf('once')))).toBeGreaterThan(0);
});
