import { expect, test } from 'vitest';
import type { TurnEvent } from '#contracts';
import { Conversation } from './page/conversation.js';

const turn = 'm1~0';
const F1 = '7.1.a';
const F2 = '7.2.b';
const start = (fence = F1): TurnEvent => ({ type: 'turn.start', turn, fence, messages: ['m1'] });
const delta = (step: number, offset: number, text: string, fence = F1): TurnEvent => ({
  type: 'text.delta',
  turn,
  fence,
  step,
  offset,
  text,
});
const tool = (type: 'tool.start' | 'tool.end', call: string, fence = F1): TurnEvent =>
  type === 'tool.end' ? { type, turn, fence, call, name: 'search', isError: false } : { type, turn, fence, call, name: 'search' };
const message = (n: number, text: string, deliveryMode: 'narration' | 'immediate' | 'final' | 'notice' = 'final'): TurnEvent => ({
  type: 'message',
  id: `${turn}-${n}`,
  turn,
  text,
  deliveryMode,
  sequenceInTurn: n,
  deliveredAt: 1,
});
const end = (rows: string[], outcome: 'answered' | 'cancelled' | 'parked' = 'answered'): TurnEvent => ({
  type: 'turn.end',
  turn,
  outcome,
  messages: ['m1'],
  rows,
  text: '',
});

function after(...events: TurnEvent[]): Conversation {
  const conversation = new Conversation();
  for (const event of events) conversation.event(event);
  return conversation;
}

const entries = (conversation: Conversation) =>
  [...conversation.turns.values()].flatMap(({ entries: all }) =>
    all.map((entry: Record<string, unknown>) => entry.text ?? `${String(entry.name)}:${String(entry.state)}`),
  );

test('OUT-3 streamed text is replaced by its message, whichever way the end and the message come', () => {
  expect(entries(after(start(), delta(1, 0, 'he'), delta(1, 2, 'llo'), message(1, 'hello'), end([`${turn}-1`])))).toEqual([
    'hello',
  ]);
  expect(entries(after(start(), delta(1, 0, 'hello'), end([`${turn}-1`]), message(1, 'hello')))).toEqual(['hello']);
});

test('OUT-3 a late narration replaces the text of its own step, not that of the running one', () => {
  const told = after(
    start(),
    delta(1, 0, 'first'),
    tool('tool.start', 'c'),
    delta(2, 0, 'second'),
    message(1, 'first', 'narration'),
  );
  expect(entries(told)).toEqual(['first', 'search:running', 'second']);
});

test('TU-1 a higher fence starts the text again, keeps what was delivered and shows no step twice', () => {
  const first = [
    start(),
    delta(1, 0, 'plan'),
    message(1, 'plan', 'narration'),
    tool('tool.start', 'c1'),
    tool('tool.end', 'c1'),
    delta(2, 0, 'half an ans'),
  ];
  const again = [start(F2), delta(1, 0, 'plan', F2), delta(2, 0, 'half an answer', F2)];
  expect(entries(after(...first, ...again))).toEqual(['plan', 'search:done', 'half an answer']);
});

test('IN-5 events that come twice after a reconnect change nothing', () => {
  const events = [
    start(),
    delta(1, 0, 'one '),
    delta(1, 4, 'two'),
    tool('tool.start', 'c'),
    tool('tool.end', 'c'),
    message(1, 'note', 'immediate'),
  ];
  expect(entries(after(...events, ...events))).toEqual(entries(after(...events)));
});

test('OUT-3 a gap in the text is not papered over: the message closes it', () => {
  const gap = after(start(), delta(1, 0, 'one '), delta(1, 9, 'three'));
  expect(entries(gap)).toEqual(['one ']);
  gap.event(message(1, 'one two three'));
  expect(entries(gap)).toEqual(['one two three']);
});

test('MO-2 a call shows while its arguments are written, until whatever comes next', () => {
  const draft: TurnEvent = { type: 'tool.draft', turn, fence: F1, step: 1, name: 'write' };
  expect(entries(after(start(), delta(1, 0, 'so'), draft, draft))).toEqual(['so', 'write:running']);
  expect(entries(after(start(), draft, tool('tool.start', 'c')))).toEqual(['search:running']);
  expect(entries(after(start(), draft, delta(1, 0, 'another model')))).toEqual(['another model']);
  expect(entries(after(start(), draft, end([], 'cancelled')))).toEqual([]);
});

test('QU-3 text of a stopped turn stays, marked; a notice that quotes it replaces it', () => {
  const stopped = after(start(), delta(1, 0, 'Once'), tool('tool.start', 'c'), end([], 'cancelled'));
  expect([...stopped.turns.values()][0].entries).toMatchObject([{ text: 'Once', partial: true }, { state: 'stopped' }]);
  expect(
    entries(after(start(), delta(1, 0, 'Once'), end([`${turn}-1`], 'cancelled'), message(1, 'Once\n\n(stopped)', 'notice'))),
  ).toEqual(['Once\n\n(stopped)']);
});

test('TU-8 text of a silent reply does not stay', () => {
  expect(entries(after(start(), delta(1, 0, 'NO'), end([])))).toEqual([]);
});

test('IN-4 an own message moves into its turn, whether the ack or the turn comes first', () => {
  for (const order of [
    ['ack', 'start'],
    ['start', 'ack'],
  ]) {
    const conversation = new Conversation();
    conversation.send('c1', 'hi');
    for (const what of order) {
      if (what === 'ack') conversation.ack({ id: 'c1', messageId: 'm1', sequence: 1 });
      else conversation.event(start());
    }
    expect(conversation.own).toEqual([]);
    expect(conversation.running.inputs).toEqual([{ id: 'm1', text: 'hi' }]);
  }
});

test('RT-4 a control command waits for no answer, and stays with what it said', () => {
  const conversation = new Conversation();
  conversation.send('c1', '/status');
  conversation.ack({ id: 'c1', command: 'status', reply: 'Running: nothing' });
  expect(conversation.own).toEqual([]);
  expect([conversation.running, conversation.hasUnknownQuestions]).toEqual([undefined, false]);
  expect([...conversation.turns.values()]).toMatchObject([
    { inputs: [{ text: '/status' }], entries: [{ mode: 'notice', text: 'Running: nothing' }], ended: true },
  ]);
});

const past = {
  turn,
  outcome: 'answered',
  inputs: [{ id: 'm1', text: 'hi' }],
  entries: [{ kind: 'message', mode: 'final', text: 'hello' }],
};

test('IN-5 a turn that was cut off live is completed by the history; its late events are ignored', () => {
  const conversation = after(start(), delta(1, 0, 'he'));
  conversation.history({ turns: [past], reset: false });
  conversation.event(end([`${turn}-1`]));
  conversation.event(message(1, 'hello'));
  expect(entries(conversation)).toEqual(['hello']);
  expect(conversation.running).toBeUndefined();
});

test('IN-5 a re-sent message that the history already shows is not shown again', () => {
  const conversation = new Conversation();
  conversation.send('c1', 'hi');
  conversation.history({ turns: [past], reset: true });
  expect(conversation.own).toHaveLength(1);
  conversation.ack({ id: 'c1', messageId: 'm1', sequence: 1 });
  expect(conversation.own).toEqual([]);
  expect([...conversation.turns.values()][0].inputs).toHaveLength(1);
});

test('TU-7 a parked turn keeps its question and its tool, and goes on where it was', () => {
  const parked = after(start(), tool('tool.start', 'c'), message(1, 'May I?', 'notice'), end([`${turn}-1`], 'parked'));
  expect(entries(parked)).toEqual(['search:running', 'May I?']);
  expect(parked.running).toBeUndefined();
  parked.event(start(F2));
  expect(parked.running).toBeDefined();
  for (const event of [tool('tool.start', 'c', F2), tool('tool.end', 'c', F2), message(2, 'done'), end([`${turn}-2`])])
    parked.event(event);
  expect(entries(parked)).toEqual(['May I?', 'search:done', 'done']);
  expect(parked.turns.get(turn)).toMatchObject({ outcome: 'answered', ended: true });
});

test('TU-7 a parked turn of the history goes on live', () => {
  const conversation = new Conversation();
  const asked = { kind: 'message', mode: 'notice', text: 'May I?', buttons: [] };
  conversation.history({ turns: [{ turn, inputs: [], entries: [asked], outcome: 'parked' }], reset: true });
  conversation.event(message(1, 'May I?', 'notice'));
  expect(entries(conversation)).toEqual(['May I?']);
  for (const event of [start(F2), message(2, 'done'), end([`${turn}-2`])]) conversation.event(event);
  expect(entries(conversation)).toEqual(['May I?', 'done']);
});

test('MO-3 OUT-3 an answer that another model begins again replaces what was shown of it', () => {
  const half = [start(), delta(1, 0, 'half '), delta(1, 5, 'of it'), delta(1, 0, '')];
  expect(entries(after(...half))).toEqual(['']);
  const whole = after(...half, delta(1, 0, 'who'), delta(1, 3, 'le'));
  expect(entries(whole)).toEqual(['whole']);
  for (const event of [message(1, 'whole'), end([`${turn}-1`])]) whole.event(event);
  expect(entries(whole)).toEqual(['whole']);
});

test('TO-1 a change finds its message in any turn, counts as arrived, and done twice is done once', () => {
  const changed = (n: number, action: Extract<TurnEvent, { type: 'message.changed' }>['action'], text = ''): TurnEvent => ({
    type: 'message.changed',
    id: `${turn}-${n}`,
    turn,
    action,
    text,
    deliveryMode: 'immediate',
    sequenceInTurn: n,
    deliveredAt: 1,
  });
  const told = after(
    start(),
    message(1, 'old', 'immediate'),
    message(2, 'wrong', 'immediate'),
    changed(3, { do: 'edit', message: `${turn}-1` }, 'new'),
    changed(4, { do: 'delete', message: `${turn}-2` }),
    changed(5, { do: 'delete', message: 'unknown' }),
    end([1, 2, 3, 4, 5].map((n) => `${turn}-${n}`)),
  );
  const shownNow = () => [...told.turns.values()].map(({ complete, entries: all }) => [complete, all]);
  expect(told.turns.get(turn)?.entries).toMatchObject([
    { text: 'new', edited: true },
    { text: 'wrong', deleted: true },
  ]);
  const before = structuredClone(shownNow());
  told.history({
    reset: false,
    turns: [
      {
        turn: 'm2~0',
        inputs: [{ id: 'm2', text: 'later' }],
        entries: [],
        outcome: 'answered',
        changes: [{ action: { do: 'edit', message: `${turn}-1` }, text: 'new' }],
      },
    ],
  });
  expect(shownNow()[0]).toEqual(before[0]);
});
