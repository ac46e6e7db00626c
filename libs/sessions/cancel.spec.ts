import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageId, type MessageId } from '#kernel';
import type { Take } from '#lanes';
import { envelopeOf, sessionOf } from '../../test/harness/mail.js';
import { LanesWorld, targetOf } from '../../test/lanes-world.js';
import type { CancelRequest } from './index.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const idOf = (conversation: string, n: number): MessageId => envelopeOf(targetOf(conversation), n, '').id;
const stopId = (n: number): MessageId =>
  messageId({ channel: 'generic', account: 'a', conversation: 'c', kind: 'command', platformId: String(n) });

const cancel = (conversation: string, request: CancelRequest) => world.platform.sessions.cancel(sessionOf(conversation), request);

/** Takes and answers until the mailbox is empty: what was told about each message, oldest first. */
async function flags(conversation: string, taken: Take): Promise<string[]> {
  if (taken.kind !== 'turn') return [];
  const { messages } = taken;
  return [...messages.map(({ flag }) => flag), ...(await flags(conversation, await world.answer(conversation, '5.1.a', taken)))];
}

test('QU-3 a cancel of what runs names the turn, and the next step of that turn hears it', async () => {
  await world.accept('runs', 1);
  const taken = await world.takeTurn('runs', '5.1.a');
  const [open] = taken.journal;
  const cancelled = await cancel('runs', { what: 'current' });
  expect(cancelled).toEqual({
    turn: open?.k === 'open' ? open.turn : '',
    waiting: 0,
    repeated: false,
    at: expect.any(Number),
    sameMessage: true,
  });
  expect(await world.state('runs', '5.1.a').step([{ k: 'started', call: 'c' }])).toMatchObject({ cancelled: cancelled.turn });
});

test('QU-3 a cancel of one turn does not touch the next, which comes with a commit in between', async () => {
  await world.accept('next', 1);
  await world.accept('next', 2);
  const taken = await world.takeTurn('next', '5.1.a');
  await cancel('next', { what: 'current' });
  const next = await world.answer('next', '5.1.a', taken);
  expect(next).toMatchObject({ kind: 'turn', cancelled: undefined, messages: [{ flag: 'live' }] });
});

test('QU-3 a cancel of everything reaches what was accepted before it, and nothing later', async () => {
  for (const n of [1, 2, 3]) await world.accept('all', n);
  const taken = await world.takeTurn('all', '5.1.a');
  expect(await cancel('all', { what: 'all' })).toMatchObject({ turn: expect.any(String), waiting: 2 });
  await world.accept('all', 4);
  expect(await flags('all', taken)).toEqual(['live', 'cancelled', 'cancelled', 'live']);
});

test('QU-3 several that wait are cancelled one by one, while another runs: each stays cancelled, and no other is', async () => {
  const ids = [];
  for (const n of [1, 2, 3, 4, 5]) {
    await world.accept('some', n);
    ids.push(idOf('some', n));
  }
  const taken = await world.takeTurn('some', '5.1.a');
  for (const id of [ids[1], ids[3]])
    expect(await cancel('some', { what: 'message', id: id as MessageId })).toMatchObject({ waiting: 1 });
  await cancel('some', { what: 'turn', turn: `${ids[4]}~0` });
  const { waiting, queue } = await world.platform.sessions.state(sessionOf('some'), 10);
  expect([waiting, queue.map(({ id }) => id)]).toEqual([1, [ids[2]]]);
  expect(await flags('some', taken)).toEqual(['live', 'cancelled', 'live', 'cancelled', 'cancelled']);
});

test('QU-3 a message that is cancelled stays so when its runner dies, and never shares a turn with one that is not', async () => {
  for (const n of [1, 2, 3]) await world.accept('shared', n);
  await cancel('shared', { what: 'message', id: idOf('shared', 2) });
  expect((await world.takeTurn('shared', '5.1.a', 9)).messages.map(({ flag }) => flag)).toEqual(['live']);
  await world.accept('dies', 1);
  await cancel('dies', { what: 'waiting' });
  for (const fence of ['5.1.a', '5.2.b'])
    expect((await world.takeTurn('dies', fence)).messages.map(({ flag }) => flag)).toEqual(['cancelled']);
});

test('QU-3 a message whose turn has begun is not cancelled as one that waits', async () => {
  await world.accept('begun', 1);
  await world.takeTurn('begun', '5.1.a');
  expect(await cancel('begun', { what: 'message', id: idOf('begun', 1) })).toMatchObject({ turn: undefined, waiting: 0 });
  expect(await cancel('begun', { what: 'waiting' })).toMatchObject({ turn: undefined, waiting: 0 });
  expect((await world.takeTurn('begun', '5.2.b')).messages).toMatchObject([{ flag: 'live' }]);
});

test('QU-3 what is cancelled behind a quiet window leaves the window of the others alone', async () => {
  await world.accept('quiet', 1, { quietMs: 60_000 });
  await world.accept('quiet', 2, { quietMs: 60_000 });
  await cancel('quiet', { what: 'message', id: idOf('quiet', 2) });
  expect(await world.mailbox('quiet', '5.1.a').take({ most: 9, history: 0 })).toMatchObject({ kind: 'tooEarly' });
  await cancel('quiet', { what: 'waiting' });
  expect((await world.takeTurn('quiet', '5.2.a', 9)).messages).toMatchObject([{ flag: 'cancelled' }, { flag: 'cancelled' }]);
});

test('QU-6 the state of a session tells what runs and what waits, since when', async () => {
  const idle = { accepted: 0, waiting: 0, running: undefined, queue: [] };
  expect(await world.platform.sessions.state(sessionOf('seen'))).toMatchObject(idle);
  expect([(await world.accept('seen', 1)).position, (await world.accept('seen', 2)).position]).toEqual([1, 2]);
  expect((await world.accept('seen', 2)).position).toBeUndefined();
  await world.takeTurn('seen', '5.1.a');
  const { now, running, queue } = await world.platform.sessions.state(sessionOf('seen'), 10);
  expect(running).toEqual({ turn: `${idOf('seen', 1)}~0`, since: expect.any(Number) });
  expect(queue).toEqual([{ id: idOf('seen', 2), acceptedAt: expect.any(Number) }]);
  expect(queue[0]?.acceptedAt).toBeLessThanOrEqual(running?.since ?? 0);
  expect(running?.since).toBeLessThanOrEqual(now);
});

test('QU-3 a cancel of an idle session, and of a turn that ended, stops nothing', async () => {
  expect(await world.platform.sessions.cancel(sessionOf('idle'), { what: 'current' })).toMatchObject({ turn: undefined });
  await world.platform.sessions.cancel(sessionOf('idle'), { what: 'turn', turn: 'm~0' });
  await world.accept('idle', 1);
  expect((await world.takeTurn('idle', '5.1.a')).cancelled).toBeUndefined();
});

test('IN-4 the same stop message obeyed twice stops once', async () => {
  await world.accept('stopped', 1);
  await world.takeTurn('stopped', '5.1.a');
  const idempotency = { id: stopId(1), ttlMs: 60_000 };
  const first = await world.platform.sessions.cancel(sessionOf('stopped'), { what: 'current' }, idempotency);
  expect(first.repeated).toBe(false);
  expect(await world.platform.sessions.cancel(sessionOf('stopped'), { what: 'current' }, idempotency)).toMatchObject({
    repeated: true,
    turn: first.turn,
    at: first.at,
  });
});

test('QU-3 a turn that waits to try again is cancelled at once', async () => {
  await world.accept('waits', 1);
  await world.takeTurn('waits', '5.1.a');
  await world.mailbox('waits', '5.1.a').hold(600_000, 'backoff');
  await world.platform.sessions.cancel(sessionOf('waits'), { what: 'current' });
  expect(await world.mailbox('waits', '5.2.a').take({ most: 1, history: 0 })).toMatchObject({ kind: 'turn' });
});
