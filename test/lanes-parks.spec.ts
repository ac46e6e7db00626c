import { afterAll, beforeAll, expect } from 'vitest';
import type { JournalEntry } from '#contracts';
import { LeaseLostError, type TurnId } from '#kernel';
import type { TakenTurn } from '#lanes';
import { answerEnvelope, parkCode, type ParkedTurn } from '#sessions';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, recordOf, rowOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world?.close());

const ANSWER: JournalEntry = { k: 'answer', step: 1, text: '', toolCalls: [{ id: 'c1', name: 'ask_user', arguments: '{}' }] };

function turnOf({ journal: [first] }: TakenTurn): TurnId {
  if (first?.k !== 'open') throw new Error('A journal begins with "open"');
  return first.turn as TurnId;
}

function parkedOf(conversation: string, n: number, turn: string): ParkedTurn {
  const asked = { call: 'c1', tool: 'ask_user', kind: 'question' as const, title: 'Which?', choices: [], arguments: '{}' };
  const envelopes: ParkedTurn['envelopes'] = [envelopeOf(targetOf(conversation), n, 'pick')];
  return { k: 'parked', at: 0, timeoutMs: 60_000, code: parkCode(turn, asked), turn, ...asked, envelopes, inputs: [] };
}

/** Takes the next message of a conversation and journals an answer that asks. */
async function asking(conversation: string, fence: string, n: number) {
  await world.accept(conversation, n);
  const taken = await world.takeTurn(conversation, fence);
  const state = world.state(conversation, fence);
  await state.step([ANSWER]);
  const turn = turnOf(taken);
  const parked = parkedOf(conversation, n, turn);
  const ids = taken.messages.map(({ id }) => id);
  const commit = {
    turn,
    ids,
    record: recordOf(turn, taken, ''),
    rows: [rowOf(conversation, turn, 1, 'Which?')],
    lastEvent: undefined,
  };
  const park = () => state.park(commit, { code: parked.code, entries: [parked], keptMs: 600_000 });
  return { turn, parked, ids, park };
}

const answered = { decision: 'answered' as const, text: 'blue', sender: { id: 'u', name: null, isBot: false }, at: 1 };
const resolved = { k: 'resolved', call: 'c1', kind: 'question', decision: 'answered', text: 'blue' } as const;
const waiting = (conversation: string) => world.platform.parks.list(sessionOf(conversation));

proves(
  'TU-7',
  'two turns of a session wait side by side, once each, for a while; what else there was of them is gone',
  async () => {
    const first = await asking('two', '1.1.a', 1);
    expect(await first.park()).toHaveLength(1);
    expect(await first.park()).toEqual([]);
    await world.mailbox('two', '1.1.a').take({ most: 1, history: 0, ended: first.ids });
    const second = await asking('two', '2.1.a', 2);
    await second.park();
    expect((await waiting('two')).map(({ turn, at }) => [turn, at > 0])).toEqual([
      [first.turn, true],
      [second.turn, true],
    ]);
    const { work, keyspace } = world.platform;
    expect(await work.pttl(keyspace.parked(sessionOf('two')))).toBeGreaterThan(590_000);
    expect(await work.exists(keyspace.journal(sessionOf('two')))).toBe(0);
  },
);

proves(['QU-3', 'TU-7'], 'a turn that somebody stopped is not parked: nothing is written', async () => {
  const { park, turn } = await asking('stopped', '1.1.a', 1);
  await world.platform.sessions.cancel(sessionOf('stopped'), { what: 'current' });
  expect(await park()).toBeUndefined();
  expect(await waiting('stopped')).toEqual([]);
  expect(await world.platform.sessions.transcript(sessionOf('stopped'), 9)).toEqual([]);
  expect((await world.platform.sessions.state(sessionOf('stopped'))).running?.turn).toBe(turn);
});

proves(
  ['TU-1', 'TU-7'],
  'its answer takes it up once, under the fence, and the next claim finds it there; a stop in between means it',
  async () => {
    const { park, parked, ids, turn } = await asking('up', '1.1.a', 1);
    await park();
    await world.mailbox('up', '1.1.a').take({ most: 1, history: 0, ended: ids });
    const { sessions } = world.platform;
    await sessions.accept(answerEnvelope(parked, answered), ACCEPT);
    expect((await sessions.accept(answerEnvelope(parked, { ...answered, decision: 'cancelled' }), ACCEPT)).duplicate).toBe(true);

    const own = turnOf(await world.takeTurn('up', '2.1.a'));
    expect(own).not.toBe(turn);
    expect((await sessions.cancel(sessionOf('up'), { what: 'current' })).turn).toBe(own);
    await expect(world.state('up', '1.1.a').resume(parked.code, resolved)).rejects.toThrow(LeaseLostError);
    const journal = await world.state('up', '2.1.a').resume(parked.code, resolved);
    expect(journal?.map(({ k }) => k)).toEqual(['open', 'answer', 'parked', 'resolved']);
    expect(await world.state('up', '2.1.a').resume(parked.code, resolved)).toBeUndefined();

    const again = await world.takeTurn('up', '2.2.b');
    expect([turnOf(again), again.cancelled]).toEqual([turn, turn]);
    expect(again.journal).toEqual(journal);
  },
);

proves(['RT-3', 'TU-7'], 'a new conversation gives up what still waited for an answer in the old one', async () => {
  const { park, ids } = await asking('renewed', '1.1.a', 1);
  await park();
  await world.mailbox('renewed', '1.1.a').take({ most: 1, history: 0, ended: ids });
  await world.accept('renewed', 2);
  await world.takeTurn('renewed', '2.1.a');
  await world.state('renewed', '2.1.a').reset({ archiveTtlMs: 60_000, settings: {} });
  expect(await waiting('renewed')).toEqual([]);
});

proves('QU-3', 'a turn that is stopped before it waits to try again does not wait', async () => {
  await world.accept('backoff', 1);
  await world.takeTurn('backoff', '1.1.a');
  await world.platform.sessions.cancel(sessionOf('backoff'), { what: 'current' });
  expect(await world.mailbox('backoff', '1.1.a').hold(30_000, 'backoff')).toBe(true);
  expect(await world.mailbox('backoff', '1.2.b').take({ most: 1, history: 0 })).toMatchObject({ kind: 'turn' });
});
