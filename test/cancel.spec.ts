import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { MessageId } from '#kernel';
import type { CancelRequest } from '#sessions';
import { ChatWorld, generic, posted, sends, shown, telegramChat, waits, type Said } from './chat-world.js';
import type { ModelServerCall } from './fakes/model-server.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

/** Promised is 1 s (npm run bench has the figure); here a guard that a busy machine keeps and a lost cancel does not. */
const HEARD_MS = 4000;
const LONG_ANSWER = { text: 'a word and another one '.repeat(200), chunkDelayMs: 20 };

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start({ runners: 2 });
}, 90_000);
afterAll(() => world?.close());

/** Stores a cancel as any replica does; the hint only makes it faster. */
async function cancel({ session }: Said, request: CancelRequest, { hint }: { hint: boolean }): Promise<void> {
  const cancelled = await world.platform.sessions.cancel(session, request);
  if (hint && cancelled.turn) world.control.cancel({ session, turn: cancelled.turn });
}

/** Until the user of a watched turn has seen some of its answer. */
async function streaming({ session }: Said): Promise<void> {
  const stop = new AbortController();
  for await (const { event } of world.platform.events.follow(session, '0-0', stop.signal)) if (event.type === 'text.delta') break;
  stop.abort();
}

/** Until this many tool calls of a running turn have begun. */
async function started({ session }: Said, calls: number): Promise<void> {
  const journal = world.platform.keyspace.journal(session);
  await waitUntil(
    'the tool runs',
    () => world.redis.cli('lrange', journal, '0', '-1'),
    (text) => text.split('"started"').length > calls,
  );
}

/** How long the model's stream lived on, ms. */
async function msUntilClosed(call: ModelServerCall | undefined, since: number): Promise<number> {
  await call?.ended;
  return performance.now() - since;
}

describe('a running turn', () => {
  proves('QU-3', 'the stream of its model is closed within 1 s, and what was said is kept and marked', async () => {
    const said = await world.say(generic('plain', 'stream'), 'a long answer', [LONG_ANSWER], { watched: true });
    await streaming(said);
    const [call] = world.asked('a long answer');
    const at = performance.now();
    await cancel(said, { what: 'current' }, { hint: true });
    expect(await msUntilClosed(call, at)).toBeLessThan(HEARD_MS);
    expect(call?.aborted).toBe(true);
    const record = await world.settled(said);
    expect(record).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' });
    const last = record.messages.at(-1);
    expect(last).toMatchObject({ role: 'assistant', interrupted: true });
    expect(last?.text.length).toBeGreaterThan(0);
    expect(LONG_ANSWER.text.startsWith(last?.text ?? ' ')).toBe(true);
    expect(await world.endLine(said)).toMatchObject({ outcome: 'cancelled', reason: 'cancelled' });
    await world.settled(await world.say(generic('plain', 'stream'), 'what did you say?'));
    const shownNext = world.asked('what did you say?')[0]?.body.messages.map(({ content }) => content);
    expect(shownNext).toContain(`${last?.text}\n[interrupted]`);
  });

  proves('QU-3', 'a tool that runs is given up at once; what was sent before stays', async () => {
    const chat = generic('plain', 'tool');
    const said = await world.say(chat, 'a slow tool', [sends('it may take a minute'), waits(60)]);
    await started(said, 2);
    const at = performance.now();
    await cancel(said, { what: 'turn', turn: said.turn }, { hint: true });
    const record = await world.ended(said);
    expect(performance.now() - at).toBeLessThan(HEARD_MS);
    expect(record.messages.at(-1)).toMatchObject({ role: 'tool', name: 'wait', isError: true });
    await world.settled(said);
    expect(shown(world.plain, 'tool')).toEqual(['it may take a minute', 'Stopped.']);
  });

  proves('QU-3', 'without the hint it stops at its next step', async () => {
    const said = await world.say(generic('plain', 'no-hint'), 'no hint', [waits(3), waits(60)]);
    await started(said, 1);
    await cancel(said, { what: 'current' }, { hint: false });
    expect(await world.settled(said)).toMatchObject({ outcome: 'cancelled' });
    expect(world.asked('no hint')).toHaveLength(1);
  });

  proves(['QU-3', 'G5'], 'a send on its way arrives, before the word that the turn was stopped', async () => {
    world.telegram.fail({ kind: 'slow', ms: 400 });
    const said = await world.say(telegramChat('301'), 'stop while sending', [sends('on its way')]);
    await waitUntil('the send is on its way', () => world.telegram.calls.length, Boolean);
    await cancel(said, { what: 'current' }, { hint: true });
    const record = await world.settled(said);
    expect(world.telegram.calls[0]?.answeredAt).toBeGreaterThan(0);
    expect(record).toMatchObject({ outcome: 'cancelled' });
    expect(posted(world.telegram, '301')).toEqual(['on its way', 'Stopped.']);
  });

  proves(['QU-3', 'QU-6'], 'the chat shows that an answer is being made until it is stopped', async () => {
    const said = await world.say(telegramChat('302'), 'hang on', [{ hang: true }]);
    const shown = () => world.telegram.actions.filter(({ chatId }) => chatId === '302');
    await waitUntil('the sign is shown', shown, (actions) => actions.length > 0);
    await cancel(said, { what: 'current' }, { hint: true });
    expect(await world.settled(said)).toMatchObject({ outcome: 'cancelled' });
    expect(posted(world.telegram, '302')).toEqual(['Stopped.']);
  });

  proves(['QU-3', 'G4'], 'a cancel is not lost with the runner it was meant for', async () => {
    const said = await world.say(generic('plain', 'killed'), 'killed then', [waits(1), waits(60)]);
    await started(said, 1);
    await cancel(said, { what: 'current' }, { hint: false });
    for (const runner of world.fleet.of('runner')) world.fleet.kill(runner);
    await world.fleet.start('runner', 2);
    expect(await world.settled(said)).toMatchObject({ outcome: 'cancelled' });
    expect(world.asked('killed then')).toHaveLength(1);
    expect(shown(world.plain, 'killed')).toEqual(['Stopped.']);
  });

  proves('QU-3', 'one that waits to try the model again ends at once', async () => {
    const limited = { status: 503, retryAfter: 30 };
    const said = await world.say(generic('plain', 'backoff'), 'limited', [() => limited]);
    await waitUntil(
      'the turn waits',
      () => world.lines({ msg: 'Turn goes on later', turnId: said.turn }),
      ({ length }) => length > 0,
    );
    const at = performance.now();
    await cancel(said, { what: 'current' }, { hint: true });
    expect(await world.ended(said)).toMatchObject({ outcome: 'cancelled' });
    expect(performance.now() - at).toBeLessThan(HEARD_MS);
    expect(world.asked('limited')).toHaveLength(1);
    await world.settled(said);
    expect(shown(world.plain, 'backoff')).toEqual(['Stopped.']);
  });
});

describe('messages that wait', () => {
  proves(['QU-3', 'G3'], 'all: the running turn and everything behind it end, what comes later is answered', async () => {
    const chat = generic('plain', 'all');
    const said = [await world.say(chat, 'running', [waits(60)])];
    for (const n of [1, 2, 3]) said.push(await world.say(chat, `waiting ${n}`));
    await world.askedTimes('running', 1);
    await cancel(said[0] as Said, { what: 'all' }, { hint: true });
    const later = await world.say(chat, 'later');
    const records = await Promise.all([...said, later].map((one) => world.settled(one)));
    expect(records.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled', 'answered']);
    expect([1, 2, 3].flatMap((n) => world.asked(`waiting ${n}`))).toEqual([]);
    expect(shown(world.plain, 'all')).toEqual(['Stopped.', 'done later']);
  });
});

describe('a message that waits', () => {
  proves('QU-3', 'can be cancelled alone', async () => {
    const chat = generic('plain', 'alone');
    const running = await world.say(chat, 'runs on', [waits(0.5)]);
    const waiting = await world.say(chat, 'not this one');
    await world.askedTimes('runs on', 1);
    await cancel(waiting, { what: 'turn', turn: waiting.turn }, { hint: true });
    const records = await Promise.all([running, waiting].map((one) => world.settled(one)));
    expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'cancelled']);
  });
});

describe('several messages that wait', () => {
  proves(
    ['QU-3', 'G3'],
    'cancelled one by one stay cancelled, also when the runner dies under the long turn before them',
    async () => {
      const chat = generic('plain', 'several');
      const running = await world.say(chat, 'goes on elsewhere', [waits(0.5), waits(0.5)]);
      const said = [];
      for (const n of [1, 2, 3, 4]) said.push(await world.say(chat, `several ${n}`));
      await started(running, 1);
      for (const n of [0, 2, 0])
        await world.platform.sessions.cancel(running.session, { what: 'message', id: said[n]?.id as MessageId });
      expect(await world.platform.sessions.state(running.session)).toMatchObject({ waiting: 2, queue: [{ id: said[1]?.id }] });
      for (const runner of world.fleet.of('runner')) world.fleet.kill(runner);
      await world.fleet.start('runner', 2);
      const records = await Promise.all([running, ...said].map((one) => world.settled(one)));
      expect(records.map(({ outcome }) => outcome)).toEqual(['answered', 'cancelled', 'answered', 'cancelled', 'answered']);
      expect([1, 3].flatMap((n) => world.asked(`several ${n}`))).toEqual([]);
      expect(await world.platform.sessions.transcript(running.session, 100)).toHaveLength(5);
      expect(shown(world.plain, 'several')).toEqual(['done goes on elsewhere', 'done several 2', 'done several 4']);
    },
  );
});

describe('a cancel that comes too late', () => {
  proves('QU-3', 'hits nothing, whatever it names', async () => {
    const chat = generic('plain', 'late');
    const first = await world.say(chat, 'soon over');
    await world.settled(first);
    await cancel(first, { what: 'current' }, { hint: true });
    await cancel(first, { what: 'all' }, { hint: true });
    const next = await world.say(chat, 'the next one', [waits(1)]);
    await world.askedTimes('the next one', 1);
    await cancel(first, { what: 'turn', turn: first.turn }, { hint: true });
    world.control.cancel({ session: first.session, turn: first.turn });
    expect(await world.settled(next)).toMatchObject({ outcome: 'answered' });
    expect(shown(world.plain, 'late')).toEqual(['done soon over', 'done the next one']);
  });
});
