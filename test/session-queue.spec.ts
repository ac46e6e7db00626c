import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { QueueMode } from '#contracts';
import { turnIdOf, type MessageId } from '#kernel';
import { MessageRefused, type Take, type TakenTurn } from '#lanes';
import type { AcceptOptions } from '#sessions';
import { ACCEPT, envelopeOf, sessionOf } from './harness/mail.js';
import { LanesWorld, recordOf, targetOf } from './lanes-world.js';
import { proves } from './proves.js';

const FENCE = '5.1.a';
const MOST = 20;
/** Longer than a test: nothing opens it but a flush. */
const LONG_MS = 60_000;

let world: LanesWorld;
beforeAll(async () => {
  world = await LanesWorld.open();
});
afterAll(() => world.close());

const idOf = (conversation: string, n: number): MessageId => envelopeOf(targetOf(conversation), n, '').id;
const idsOf = (conversation: string, numbers: readonly number[]): MessageId[] => numbers.map((n) => idOf(conversation, n));

async function acceptAll(conversation: string, numbers: readonly number[], options: Partial<AcceptOptions>): Promise<void> {
  for (const n of numbers) await world.accept(conversation, n, options);
}

/** In another thread of the same session. */
async function acceptElsewhere(conversation: string, n: number, mode: QueueMode): Promise<void> {
  const elsewhere = { ...envelopeOf(targetOf(conversation), n, ''), target: { ...targetOf(conversation), thread: '7' } };
  await world.platform.sessions.accept(elsewhere, { ...ACCEPT, mode });
}

/** As /steer does. */
const steer = (conversation: string, n: number) =>
  world.platform.sessions.accept({ ...envelopeOf(targetOf(conversation), n, ''), queueMode: 'steer' }, ACCEPT);

const take = (conversation: string, ended: readonly MessageId[] = [], limits: { cap?: number; drop?: 'old' | 'new' } = {}) =>
  world.mailbox(conversation, FENCE).take({ most: MOST, history: 0, ended, ...limits });

/** Ends a turn in the transcript; its messages are acknowledged by the next take. */
async function end(conversation: string, taken: TakenTurn): Promise<MessageId[]> {
  const ids = taken.messages.map(({ id }) => id);
  const turn = turnIdOf(ids[0] as MessageId, 0);
  await world.state(conversation, FENCE).commit({ turn, ids, record: recordOf(turn, taken, ''), rows: [], lastEvent: undefined });
  return ids;
}

/** The numbers of the messages of each turn, until the mailbox is empty. */
async function turnsOf(
  conversation: string,
  most: number,
  limits: { cap?: number; drop?: 'old' | 'new' } = {},
  ended: MessageId[] = [],
) {
  const numbers = new Map(Array.from({ length: most }, (_, index) => [idOf(conversation, index + 1), index + 1]));
  const turns: (number | undefined)[][] = [];
  for (let next: Take = await take(conversation, ended, limits); next.kind === 'turn';) {
    turns.push(next.messages.map(({ id }) => numbers.get(id)));
    next = await take(conversation, await end(conversation, next), limits);
  }
  return turns;
}

describe('followup', () => {
  proves(
    ['QU-2', 'T14'],
    'each message is a turn of its own, those of one quiet window are one, whatever waits beside them',
    async () => {
      await acceptAll('followup', [1, 2], {});
      await acceptAll('followup', [3, 4, 5], { quietMs: LONG_MS });
      await world.accept('followup', 6, { flush: true });
      await acceptAll('followup', [7, 8], {});
      expect(await turnsOf('followup', 8)).toEqual([[1], [2], [3, 4, 5, 6], [7], [8]]);
    },
  );

  proves('QU-2', 'two windows are two turns, also when both wait behind a third', async () => {
    for (const numbers of [
      [1, 2],
      [3, 4],
    ]) {
      await acceptAll('windows', numbers, { quietMs: LONG_MS });
      await world.accept('windows', 10 + (numbers[0] ?? 0), { flush: true });
    }
    expect(await turnsOf('windows', 13)).toEqual([
      [1, 2, 11],
      [3, 4, 13],
    ]);
  });
});

describe('collect', () => {
  proves(['QU-2', 'B036'], 'what came during a turn is one turn; another thread stays apart, and all stay in order', async () => {
    await world.accept('collect', 1, { mode: 'collect' });
    const first = await world.takeTurn('collect', FENCE, MOST);
    await acceptAll('collect', [2, 3], { mode: 'collect' });
    await acceptElsewhere('collect', 4, 'collect');
    await acceptAll('collect', [5, 6], { mode: 'collect' });
    expect(await world.mailbox('collect', FENCE).takeMore(MOST)).toEqual({ kind: 'busy' });
    const ended = await end('collect', first);
    expect(await turnsOf('collect', 6, {}, ended)).toEqual([[2, 3], [4], [5, 6]]);
  });
});

describe('steer', () => {
  const joins = async (conversation: string) => (await world.state(conversation, FENCE).step([])).joins;
  const more = (conversation: string) => world.mailbox(conversation, FENCE).takeMore(MOST);

  proves(
    ['QU-2', 'B036'],
    'joins what runs, without its window, and the journal says where; not from another thread',
    async () => {
      await world.accept('steer', 1);
      await world.takeTurn('steer', FENCE, MOST);
      expect(await joins('steer')).toBe(false);
      await acceptAll('steer', [2, 3], { mode: 'steer', quietMs: LONG_MS });
      await acceptElsewhere('steer', 4, 'steer');
      expect(await joins('steer')).toBe(true);
      const joined = await more('steer');
      expect(joined).toMatchObject({ kind: 'turn', messages: idsOf('steer', [2, 3]).map((id) => ({ id, flag: 'live' })) });
      expect((joined as TakenTurn).journal.slice(1)).toEqual([{ k: 'joined', ids: idsOf('steer', [2, 3]) }]);
      expect(await joins('steer')).toBe(false);
      expect(await world.waiting('steer')).toEqual([idOf('steer', 4)]);
    },
  );

  proves(['QU-2', 'TU-1'], 'what joined is resumed with its turn, in order, and the journal keeps its place', async () => {
    await world.accept('resumed', 1);
    await world.takeTurn('resumed', FENCE, MOST);
    await world.accept('resumed', 2, { mode: 'steer' });
    await more('resumed');
    await world.state('resumed', FENCE).step([{ k: 'started', call: 'a' }]);
    const resumed = await world.takeTurn('resumed', '5.2.b', MOST);
    expect(resumed.messages.map(({ id }) => id)).toEqual(idsOf('resumed', [1, 2]));
    expect(resumed.journal.map(({ k }) => k)).toEqual(['open', 'joined', 'started']);
    expect(await more('resumed'), 'the dead claim takes nothing').toEqual({ kind: 'superseded' });
  });

  proves(['QU-2', 'QU-3'], 'a turn that is to stop takes nothing more, so that the stop is not lost', async () => {
    await world.accept('stopped', 1);
    await world.takeTurn('stopped', FENCE, MOST);
    await world.platform.sessions.cancel(sessionOf('stopped'), { what: 'all' });
    await world.accept('stopped', 2, { mode: 'steer' });
    expect(await more('stopped')).toEqual({ kind: 'busy' });
    expect(await world.state('stopped', FENCE).step([])).toMatchObject({
      cancelled: turnIdOf(idOf('stopped', 1), 0),
      why: 'cancelled',
    });
  });

  proves(
    ['QU-2', 'RT-4'],
    'asked for by name it goes before what waits for turns of its own; where nothing runs it queues up',
    async () => {
      await world.accept('named', 1);
      await world.takeTurn('named', FENCE, MOST);
      await acceptAll('named', [2, 3], {});
      for (const n of [4, 5]) await steer('named', n);
      expect(await world.waiting('named')).toEqual(idsOf('named', [4, 5, 2, 3]));
      await acceptAll('idle', [1], {});
      await steer('idle', 2);
      expect(await world.waiting('idle')).toEqual(idsOf('idle', [1, 2]));
    },
  );

  proves(['QU-2', 'G2'], 'what came too late for one turn is the next one', async () => {
    await world.accept('late', 1);
    const first = await world.takeTurn('late', FENCE, MOST);
    await acceptAll('late', [2, 3], { mode: 'steer' });
    expect(await turnsOf('late', 3, {}, await end('late', first))).toEqual([[2, 3]]);
  });
});

describe('interrupt', () => {
  proves(
    ['QU-2', 'QU-3'],
    'stops the turn that runs by its name, also one that waits to try again, and never its own',
    async () => {
      await world.accept('interrupt', 1);
      const first = await world.takeTurn('interrupt', FENCE, MOST);
      await world.mailbox('interrupt', FENCE).hold(LONG_MS, 'backoff');
      const turn = turnIdOf(idOf('interrupt', 1), 0);
      expect(await world.accept('interrupt', 2, { mode: 'interrupt' })).toMatchObject({ stops: turn });
      expect(await world.takeTurn('interrupt', FENCE, MOST)).toMatchObject({ cancelled: turn, why: 'interrupted' });
      await world.accept('interrupt', 3, { mode: 'interrupt' });
      await end('interrupt', first);
      const next = (await take('interrupt', idsOf('interrupt', [1]))) as TakenTurn;
      expect(next.messages.map(({ id }) => id)).toEqual(idsOf('interrupt', [2, 3]));
      expect(next.cancelled).toBeUndefined();
    },
  );

  proves('QU-2', 'stops nothing where nothing runs', async () => {
    await world.accept('calm', 1);
    expect(await world.accept('calm', 2, { mode: 'interrupt' })).toMatchObject({ stops: undefined });
  });
});

describe('reject', () => {
  proves('QU-2', 'refuses while a turn runs or mail waits, keeps nothing, and takes the same id later', async () => {
    await world.accept('reject', 1, { mode: 'reject' });
    await expect(world.accept('reject', 2, { mode: 'reject' })).rejects.toThrow(MessageRefused);
    const first = await world.takeTurn('reject', FENCE, MOST);
    await expect(world.accept('reject', 2, { mode: 'reject' })).rejects.toMatchObject({ reason: 'busy', tell: true });
    expect(await world.accept('reject', 1, { mode: 'reject' })).toMatchObject({ duplicate: true, seq: 1 });
    expect(await take('reject', await end('reject', first))).toEqual({ kind: 'released' });
    expect(await world.accept('reject', 2, { mode: 'reject' })).toMatchObject({ duplicate: false, seq: 2 });
  });

  proves('QU-2', 'takes all of one quiet window: that is one request', async () => {
    await acceptAll('pieces', [1, 2, 3], { mode: 'reject', quietMs: LONG_MS });
    expect(await world.waiting('pieces')).toHaveLength(3);
  });

  proves(
    ['QU-2', 'RT-4'],
    "a session's own mode wins over that of its channel; not over that of one message, nor for an edit",
    async () => {
      await world.platform.sessions.changeSettings(sessionOf('own'), { queueMode: 'reject' });
      await world.accept('own', 1);
      await expect(world.accept('own', 2, { mode: 'steer' })).rejects.toThrow(MessageRefused);
      await steer('own', 2);
      const edit = { ...envelopeOf(targetOf('own'), 3, 'edited'), kind: 'record' as const };
      expect(await world.platform.sessions.accept(edit, ACCEPT)).toMatchObject({ duplicate: false });
    },
  );
});

describe('too many', () => {
  proves(['QU-2', 'B060'], 'the oldest or the newest go as one turn that says so, and the rest keeps its order', async () => {
    for (const drop of ['old', 'new'] as const) {
      await acceptAll(drop, [1, 2, 3, 4, 5], {});
      const first = (await take(drop, [], { cap: 3, drop })) as TakenTurn;
      expect(first.journal).toMatchObject([{ k: 'open', drop, ids: idsOf(drop, drop === 'old' ? [1, 2] : [4, 5]) }]);
      const again = await world.mailbox(drop, '5.2.b').take({ most: MOST, history: 0, cap: 3, drop });
      expect(again, 'a kill before the commit').toMatchObject({ kind: 'turn', journal: [{ k: 'open', drop }] });
      await world.mailbox(drop, '5.2.b').ack([]);
    }
    const old = await world.takeTurn('old', '5.3.c', MOST);
    const turn = turnIdOf(idOf('old', 1), 0);
    const ids = old.messages.map(({ id }) => id);
    await world.state('old', '5.3.c').commit({ turn, ids, record: recordOf(turn, old, ''), rows: [], lastEvent: undefined });
    // Killed between commit and acknowledgement.
    expect((await world.takeTurn('old', '5.4.d', MOST)).messages.map(({ flag }) => flag)).toEqual(['seen', 'seen', 'live']);
  });

  proves(
    ['QU-2', 'G3'],
    'more than the ring of ended messages holds are still known after a kill behind their commit',
    async () => {
      const numbers = Array.from({ length: 45 }, (_, index) => index + 1);
      await acceptAll('flood', numbers, {});
      const dropped = (await take('flood', [], { cap: 5, drop: 'old' })) as TakenTurn;
      expect(dropped.messages).toHaveLength(40);
      await end('flood', dropped);
      const after = await world.takeTurn('flood', '5.2.b', MOST);
      expect(new Set(after.messages.map(({ flag }) => flag).slice(0, 40))).toEqual(new Set(['seen']));
    },
  );

  proves('QU-2', 'commands and edits are not dropped, and one batch has one place to hear of it', async () => {
    const command = { ...envelopeOf(targetOf('kinds'), 1, '/new'), kind: 'record' as const };
    await world.platform.sessions.accept(command, ACCEPT);
    await world.accept('kinds', 2);
    await acceptElsewhere('kinds', 3, 'followup');
    await acceptAll('kinds', [4, 5], {});
    expect(await turnsOf('kinds', 5, { cap: 2, drop: 'old' })).toEqual([[2, 4, 5], [1], [3]]);
  });

  proves(
    ['QU-2', 'G3'],
    'above the hard cap nothing is stored, the chat hears of it once, and the id may come again',
    async () => {
      await acceptAll('hard', [1, 2], { hardCap: 2 });
      await expect(world.accept('hard', 3, { hardCap: 2 })).rejects.toMatchObject({ reason: 'full', tell: true });
      await expect(world.accept('hard', 4, { hardCap: 2 })).rejects.toMatchObject({ reason: 'full', tell: false });
      expect(await turnsOf('hard', 4)).toEqual([[1], [2]]);
      expect(await world.accept('hard', 3, { hardCap: 2 })).toMatchObject({ duplicate: false, seq: 3 });
    },
  );
});
