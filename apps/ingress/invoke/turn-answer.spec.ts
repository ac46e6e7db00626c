import { expect, test } from 'vitest';
import type { TurnEvent, TurnRecord } from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import { AnswerCollector } from './turn-answer.js';

const session = 's' as SessionKey;
const collector = () => new AnswerCollector(session, 'm2' as MessageId);
const start = (turn: string, ...messages: string[]): TurnEvent => ({ type: 'turn.start', turn, fence: '1.1.a', messages });
const message = (id: string, n: number): TurnEvent => ({
  type: 'message',
  id,
  turn: id.slice(0, id.lastIndexOf('-')),
  text: `text ${n}`,
  deliveryMode: n === 1 ? 'immediate' : 'final',
  sequenceInTurn: n,
  deliveredAt: 1000 + n,
});
const end = (turn: string, messages: string[], rows: string[]): TurnEvent => ({
  type: 'turn.end',
  turn,
  outcome: 'answered',
  messages,
  rows,
  text: 'text 2',
});

test('IN-5 the answer is complete when the turn has ended and all it sends was delivered, in whatever order that is seen', () => {
  for (const events of [
    [message('m2~0-1', 1), end('m2~0', ['m2'], ['m2~0-1', 'm2~0-2']), message('m2~0-2', 2)],
    [end('m2~0', ['m2'], ['m2~0-1', 'm2~0-2']), message('m2~0-1', 1), message('m2~0-2', 2)],
  ]) {
    const answer = collector();
    expect(events.map((event) => [answer.add(event), answer.isComplete])).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
    expect(answer.answer()).toEqual({
      session,
      turnId: 'm2~0',
      messageId: 'm2',
      outcome: 'answered',
      text: 'text 2',
      messages: [
        { id: 'm2~0-1', content: 'text 1', deliveredAt: 1001, deliveryMode: 'immediate', sequenceInTurn: 1 },
        { id: 'm2~0-2', content: 'text 2', deliveredAt: 1002, deliveryMode: 'final', sequenceInTurn: 2 },
      ],
    });
  }
});

test('IN-5 what was not delivered in time is listed without a time', () => {
  const answer = collector();
  answer.add(end('m2~0', ['m2'], ['m2~0-1']));
  expect(answer.answer().messages).toEqual([
    { id: 'm2~0-1', content: null, deliveredAt: null, deliveryMode: null, sequenceInTurn: 1 },
  ]);
});

test('IN-5 a message that was merged into another turn gets its answer, and is told which', () => {
  const begun = collector();
  expect(
    [start('m1~0', 'm1', 'm2'), message('m1~0-1', 1), end('m1~0', ['m1', 'm2'], ['m1~0-1'])].map((event) => begun.add(event)),
  ).toEqual([true, true, true]);
  expect(begun.answer()).toMatchObject({ turnId: 'm2~0', mergedInto: 'm1~0', messages: [{ content: 'text 1' }] });
  // It joined while the turn ran: only the end names it.
  const joined = collector();
  expect(
    [start('m1~0', 'm1'), message('m1~0-1', 1), end('m1~0', ['m1', 'm2'], ['m1~0-1'])].map((event) => joined.add(event)),
  ).toEqual([false, false, true]);
  expect([joined.isComplete, joined.answer().mergedInto, joined.answer().messages.length]).toEqual([true, 'm1~0', 1]);
});

test('IN-5 turns of other messages are not the answer', () => {
  const answer = collector();
  expect([start('m1~0', 'm1'), message('m1~0-1', 1), end('m1~0', ['m1'], ['m1~0-1'])].map((event) => answer.add(event))).toEqual([
    false,
    false,
    false,
  ]);
  expect(answer.hasEnded).toBe(false);
});

test('IN-5 a turn that was replayed by hand is not called merged', () => {
  const answer = collector();
  answer.add(end('m2~1', ['m2'], []));
  expect(answer.answer()).toMatchObject({ turnId: 'm2~1' });
  expect(answer.answer()).not.toHaveProperty('mergedInto');
});

test('IN-5 from the transcript: the last words of the assistant, and why when there is no answer', () => {
  const record: TurnRecord = {
    v: 1,
    turn: 'm2~0',
    outcome: 'failed',
    reason: 'auth',
    inputs: [],
    messages: [
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: 'half', toolCalls: [] },
      { role: 'tool', callId: 'c', name: 't', text: 'r', isError: false },
    ],
    at: 1,
  };
  expect(collector().answerOf(record)).toEqual({
    session,
    turnId: 'm2~0',
    messageId: 'm2',
    outcome: 'failed',
    reason: 'auth',
    text: 'half',
    messages: [],
  });
});

test('TO-1 IN-5 the answer has its messages as they were edited last, without deleted ones; a change counts as arrived', () => {
  const changed = (n: number, action: Extract<TurnEvent, { type: 'message.changed' }>['action'], text = ''): TurnEvent => ({
    type: 'message.changed',
    id: `m2~0-${n}`,
    turn: 'm2~0',
    action,
    text,
    deliveryMode: 'immediate',
    sequenceInTurn: n,
    deliveredAt: 1000 + n,
  });
  const answer = collector();
  answer.add(message('m2~0-1', 1));
  answer.add(message('m2~0-2', 2));
  answer.add(changed(3, { do: 'edit', message: 'm2~0-1' }, 'edited'));
  answer.add(changed(4, { do: 'react', message: 'm2~0-1', emoji: '👍' }));
  answer.add(
    end(
      'm2~0',
      ['m2'],
      [1, 2, 3, 4, 5].map((n) => `m2~0-${n}`),
    ),
  );
  expect(answer.isComplete).toBe(false);
  answer.add(changed(5, { do: 'delete', message: 'm2~0-2' }));
  expect(answer.isComplete).toBe(true);
  expect(answer.answer().messages).toMatchObject([{ id: 'm2~0-1', content: 'edited', deliveredAt: 1001 }]);
});
