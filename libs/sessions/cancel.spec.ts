import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageId, type MessageId } from '#kernel';
import { cancels, cancelTarget } from './index.js';
import { sessionOf } from '../../test/harness/mail.js';
import { LanesWorld } from '../../test/lanes-world.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const stopId = (n: number): MessageId =>
  messageId({ channel: 'generic', account: 'a', conversation: 'c', kind: 'command', platformId: String(n) });

test('QU-3 a cancel of what runs names the turn, and the next step of that turn hears it', async () => {
  await world.accept('runs', 1);
  const taken = await world.takeTurn('runs', '5.1.a');
  const [open] = taken.journal;
  const cancelled = await world.platform.sessions.cancel(sessionOf('runs'), { what: 'current' });
  expect(cancelled).toMatchObject({ turn: open?.k === 'open' ? open.turn : '', repeated: false });
  const { cancel } = await world.state('runs', '5.1.a').step([{ k: 'started', call: 'c' }]);
  expect(cancels(cancel, cancelled.turn ?? '', [1])).toBe(true);
  expect(cancels(cancel, 'another turn', [2])).toBe(false);
});

test('QU-3 a cancel of one turn does not touch the next, which comes with a commit in between', async () => {
  await world.accept('next', 1);
  await world.accept('next', 2);
  const taken = await world.takeTurn('next', '5.1.a');
  await world.platform.sessions.cancel(sessionOf('next'), { what: 'current' });
  expect(await world.answer('next', '5.1.a', taken)).toMatchObject({
    kind: 'turn',
    cancel: { turn: undefined, upTo: undefined },
  });
});

test('QU-3 a cancel of everything reaches what was accepted before it, and nothing later', async () => {
  await world.accept('all', 1);
  await world.accept('all', 2);
  const { seq } = await world.platform.sessions.cancel(sessionOf('all'), { what: 'all' });
  await world.accept('all', 3);
  const first = await world.takeTurn('all', '5.1.a');
  expect(
    cancels(
      first.cancel,
      'x',
      first.messages.map((message) => message.seq),
    ),
  ).toBe(true);
  expect(first.cancel.upTo).toBe(seq);
  await world.answer('all', '5.1.a', first);
  const second = await world.takeTurn('all', '5.1.a');
  await world.answer('all', '5.1.a', second);
  const third = await world.takeTurn('all', '5.1.a');
  expect(
    cancels(
      third.cancel,
      'x',
      third.messages.map((message) => message.seq),
    ),
  ).toBe(false);
});

test('QU-3 a cancel of an idle session, and of a turn that ended, stops nothing', async () => {
  expect(await world.platform.sessions.cancel(sessionOf('idle'), { what: 'current' })).toMatchObject({ turn: undefined });
  await world.platform.sessions.cancel(sessionOf('idle'), { what: 'turn', turn: 'm~0' });
  await world.accept('idle', 1);
  expect((await world.takeTurn('idle', '5.1.a')).cancel).toEqual({ turn: undefined, upTo: undefined });
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
    seq: first.seq,
  });
});

test('QU-3 a turn that waits to try again is cancelled at once', async () => {
  await world.accept('waits', 1);
  await world.takeTurn('waits', '5.1.a');
  await world.mailbox('waits', '5.1.a').hold(600_000, 'backoff');
  await world.platform.sessions.cancel(sessionOf('waits'), { what: 'current' });
  expect(await world.mailbox('waits', '5.2.a').take({ most: 1, history: 0 })).toMatchObject({ kind: 'turn' });
});

test('QU-3 the hint of a cancel names what the stored one does; where nothing ran it names nothing accepted', () => {
  const cancelled = { turn: 'm~0', seq: 7 };
  expect(cancelTarget({ what: 'current' }, cancelled)).toEqual({ turn: 'm~0' });
  expect(cancelTarget({ what: 'all' }, cancelled)).toEqual({ before: 7 });
  expect(cancelTarget({ what: 'current' }, { ...cancelled, turn: undefined })).not.toHaveProperty('before');
});
