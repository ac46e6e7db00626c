import { afterAll, beforeAll, describe, expect } from 'vitest';
import { ENVELOPE_VERSION } from '#contracts';
import { LeaseLostError, turnIdOf } from '#kernel';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, recordOf, rowOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

const CRASHES_ALLOWED = 4;

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const idOf = (conversation: string, n: number) => envelopeOf(targetOf(conversation), n, '').id;
const take = (conversation: string, fence: string, most = 1) => world.mailbox(conversation, fence).take({ most, history: 0 });

describe('a claim that is not the newest', () => {
  proves(['G2', 'QU-1'], 'an older one, and one with the same id and attempt but another nonce, takes nothing', async () => {
    await world.accept('zombie', 1);
    await world.takeTurn('zombie', '900.1.new');
    expect(await take('zombie', '500.1.old')).toEqual({ kind: 'superseded' });
    expect(await take('zombie', '900.1.other')).toEqual({ kind: 'superseded' });
    expect(await take('zombie', '900.1.new')).toMatchObject({ kind: 'turn' });
  });

  proves(
    ['G2', 'TU-1'],
    'writes nothing: step, commit, event, hold, suspicion, acknowledgement and burial are refused',
    async () => {
      await world.accept('mute', 1);
      const taken = await world.takeTurn('mute', '500.1.old');
      await world.takeTurn('mute', '900.1.new');
      const before = await snapshot('mute');
      const turn = turnIdOf(idOf('mute', 1), 0);
      const [old, state] = [world.mailbox('mute', '500.1.old'), world.state('mute', '500.1.old')];
      await expect(state.step([{ k: 'started', call: 'c1' }], rowOf('mute', turn, 1, 'zombie'))).rejects.toThrow(LeaseLostError);
      const ids = taken.messages.map(({ id }) => id);
      const commit = state.commit({
        turn,
        ids,
        record: recordOf(turn, taken, 'zombie'),
        rows: [rowOf('mute', turn, 1, 'zombie')],
        lastEvent: undefined,
      });
      await expect(commit).rejects.toThrow(LeaseLostError);
      await state.emit([{ type: 'turn.start', turn, fence: '500.1.old', messages: ids }]);
      expect(await old.hold(1000, 'backoff')).toBe(false);
      expect(await old.suspect('alone')).toBe(false);
      await expect(old.ack(ids)).rejects.toThrow(LeaseLostError);
      await expect(old.bury(idOf('mute', 1), 'crashed')).rejects.toThrow(LeaseLostError);
      expect(await snapshot('mute')).toEqual(before);
    },
  );
});

proves(
  ['QU-1', 'TU-1'],
  'a fence behind the one in force while the activation lock is valid is a rolled-back counter, not a zombie',
  async () => {
    await world.accept('rolled', 1);
    await world.takeTurn('rolled', '9000000000000.1.dead');
    const { platform } = world;
    await platform.work.set(platform.turns.lockKey(sessionOf('rolled'), '500'), 'token-500.1.a');
    expect(await take('rolled', '500.1.a')).toEqual({ kind: 'rolledBack', fence: '9000000000000.1.dead' });
    await platform.turns.raiseFloorAbove(sessionOf('rolled'), '9000000000000.1.dead');
    await platform.turns.activate(sessionOf('rolled'));
    const counter = platform.keyspace.activation('turns', platform.keyspace.bucketOf(sessionOf('rolled')), 'id');
    expect(Number(await platform.work.get(counter))).toBeGreaterThanOrEqual(9_000_000_000_000);
  },
);

describe('resume', () => {
  proves(
    ['TU-1', 'G2', 'G4'],
    'all messages in flight come back, oldest first, with one crash each, and nothing new joins them',
    async () => {
      for (const n of [1, 2, 3, 4]) await world.accept('several', n, { mode: 'collect' });
      expect((await world.takeTurn('several', '5.1.a', 2)).messages.map(({ id }) => id)).toEqual([
        idOf('several', 1),
        idOf('several', 2),
      ]);
      const resumed = await world.takeTurn('several', '5.2.b', 9);
      expect(resumed.messages.map(({ id, crashes, fresh }) => [id, crashes, fresh])).toEqual([
        [idOf('several', 1), 1, false],
        [idOf('several', 2), 1, false],
      ]);
      expect(await world.waiting('several')).toEqual([idOf('several', 3), idOf('several', 4)]);
      expect(resumed.journal).toEqual([
        { k: 'open', turn: `${idOf('several', 1)}~0`, ids: [idOf('several', 1), idOf('several', 2)] },
      ]);
    },
  );

  proves(['G3', 'QU-1'], 'waiting, draining and being suspected are no crashes, however often', async () => {
    await world.accept('polite', 1);
    for (const [index, why] of (['backoff', 'limit', 'drain', 'suspect', 'backoff'] as const).entries()) {
      await world.takeTurn('polite', `5.${index + 1}.a`);
      expect(await world.mailbox('polite', `5.${index + 1}.a`).hold(0, why)).toBe(true);
    }
    expect((await world.takeTurn('polite', '5.8.a')).messages).toMatchObject([{ crashes: 0, flag: 'live' }]);
  });

  proves(
    ['G3', 'QU-1'],
    'in company crashes stop counting short of the limit; only one while it ran alone makes a dead letter',
    async () => {
      await world.accept('poison', 1);
      for (let attempt = 1; attempt <= CRASHES_ALLOWED + 3; attempt++) await world.takeTurn('poison', `5.${attempt}.a`);
      expect((await world.takeTurn('poison', '6.1.a')).messages).toMatchObject([{ crashes: CRASHES_ALLOWED - 1, flag: 'live' }]);
      await world.mailbox('poison', '6.1.a').suspect('alone');
      expect((await world.takeTurn('poison', '6.2.a')).messages).toMatchObject([{ crashes: CRASHES_ALLOWED, flag: 'dead' }]);
    },
  );

  proves(['TU-1', 'G3'], 'a turn that was committed and not acknowledged is not run again', async () => {
    await world.accept('acked', 1);
    const taken = await world.takeTurn('acked', '5.1.a');
    const turn = turnIdOf(idOf('acked', 1), 0);
    const commit = {
      turn,
      ids: [idOf('acked', 1)],
      record: recordOf(turn, taken, 'x'),
      rows: [rowOf('acked', turn, 1, 'x')],
      lastEvent: undefined,
    };
    expect(await world.state('acked', '5.1.a').commit(commit)).toHaveLength(1);
    expect(await world.state('acked', '5.1.a').commit(commit), 'sent again after a reconnect').toEqual([]);
    const again = await world.takeTurn('acked', '5.2.b');
    expect(again.messages).toMatchObject([{ flag: 'seen' }]);
    expect(again.rows.map(({ row }) => row.text)).toEqual(['x']);
    expect(await world.platform.sessions.transcript(sessionOf('acked'), 9)).toHaveLength(1);
  });
});

describe('what shares a turn', () => {
  proves(['QU-2', 'G2'], 'messages of one thread in one gathered turn; another thread waits for the next', async () => {
    await world.accept('threads', 1, { mode: 'collect' });
    await world.accept('threads', 2, { mode: 'collect' });
    const elsewhere = { ...envelopeOf(targetOf('threads'), 3, ''), target: { ...targetOf('threads'), thread: '7' } };
    await world.platform.sessions.accept(elsewhere, { ...ACCEPT, mode: 'collect' });
    const first = await world.takeTurn('threads', '5.1.a', 9);
    expect(first.messages).toHaveLength(2);
    expect(await world.answer('threads', '5.1.a', first)).toMatchObject({ kind: 'turn', messages: [{ id: elsewhere.id }] });
  });

  proves('OP-7', 'an envelope of a newer version waits for a process that knows it: no crash, no dead letter', async () => {
    await world.accept('newer', 1);
    const newer = { ...envelopeOf(targetOf('newer'), 2, ''), v: ENVELOPE_VERSION + 1 } as never;
    await world.platform.sessions.accept(newer, ACCEPT);
    const first = await world.takeTurn('newer', '5.1.a', 9);
    expect(first.messages).toHaveLength(1);
    expect(await world.answer('newer', '5.1.a', first)).toMatchObject({ kind: 'tooEarly', why: 'version', ms: 5000 });
    expect(await world.waiting('newer')).toEqual([idOf('newer', 2)]);
    expect(await take('newer', '5.2.b', 9)).toMatchObject({ kind: 'tooEarly', why: 'version' });
  });
});

/** Everything stored about a session, the locks aside. */
async function snapshot(conversation: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const key of await world.keys()) {
    if (!key.includes(sessionOf(conversation)) && !key.includes(idOf(conversation, 1))) continue;
    found[key] = await world.platform.work.dump(key);
  }
  return found;
}

proves('QU-1', 'a process that dies between the end of a turn and its ack is no crash of that message', async () => {
  await world.accept('ended', 1);
  const taken = await world.takeTurn('ended', '5.1.a');
  const turn = turnIdOf(taken.messages[0]?.id ?? ('' as never), 0);
  const ids = taken.messages.map(({ id }) => id);
  const record = recordOf(turn, taken, 'answer');
  await world.state('ended', '5.1.a').commit({ turn, ids, record, rows: [], lastEvent: undefined });
  expect((await world.takeTurn('ended', '5.2.b')).messages).toMatchObject([{ flag: 'seen', crashes: 0 }]);
});
