import { afterAll, beforeAll, expect, test } from 'vitest';
import { messageId } from '#kernel';
import { sessionOf } from '../../test/harness/mail.js';
import { LanesWorld } from '../../test/lanes-world.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

test('RT-4 a change of settings keeps the others, null takes one back, and the next take brings them', async () => {
  const { sessions } = world.platform;
  const session = sessionOf('chosen');
  expect(await sessions.settings(session)).toEqual({});
  await sessions.changeSettings(session, { model: 'openai/"größer"', send: false });
  expect(await sessions.changeSettings(session, { queueMode: 'steer', send: null })).toEqual({
    model: 'openai/"größer"',
    queueMode: 'steer',
  });
  await world.accept('chosen', 1);
  expect((await world.takeTurn('chosen', '5.1.a')).settings).toEqual(await sessions.settings(session));
});

test('G7 settings that are all taken back leave nothing in the head', async () => {
  const { sessions, work, keyspace } = world.platform;
  const session = sessionOf('back');
  await sessions.changeSettings(session, { verbose: true });
  expect(await sessions.changeSettings(session, { verbose: null, model: null })).toEqual({});
  expect(await work.exists(keyspace.head(session))).toBe(0);
});

test('IN-4 RT-4 a command that comes again after a later one changes nothing back', async () => {
  const { sessions } = world.platform;
  const session = sessionOf('again');
  const asked = (n: number) => ({
    id: messageId({ channel: 'generic', account: 'a', conversation: 'again', kind: 'command', platformId: String(n) }),
    ttlMs: 60_000,
  });
  await sessions.changeSettings(session, { queueMode: 'collect' }, asked(1));
  await sessions.changeSettings(session, { queueMode: 'steer' }, asked(2));
  expect(await sessions.changeSettings(session, { queueMode: 'collect' }, asked(1))).toEqual({ queueMode: 'steer' });
  expect(await sessions.changeSettings(session, { verbose: true }, asked(1))).toBeUndefined();
  expect(await sessions.settings(session)).toEqual({ queueMode: 'steer' });
});
