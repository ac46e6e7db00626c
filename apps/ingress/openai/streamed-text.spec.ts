import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeliveryMode, TurnEvent } from '#contracts';
import { BEGINS_AGAIN, StreamedText } from './streamed-text.js';

const base = { turn: 't', fence: '1.1.a' };
const delta = (step: number, offset: number, text: string): TurnEvent => ({ type: 'text.delta', ...base, step, offset, text });
const tool: TurnEvent = { type: 'tool.start', ...base, call: 'c', name: 'message' };
let ids = 0;
const message = (deliveryMode: DeliveryMode, text: string): TurnEvent => ({
  type: 'message',
  id: `t-${++ids}`,
  turn: 't',
  text,
  deliveryMode,
  sequenceInTurn: 1,
  deliveredAt: 1,
});
function written(events: TurnEvent[], end: string, isLive = true): string[] {
  const streamed = new StreamedText(isLive);
  return [...events.map((event) => streamed.add(event)), streamed.end(end)];
}

test('IN-9 words are written as they come; narration and sends keep their place, and nothing is written twice', () => {
  const events = [
    delta(1, 0, ' I '),
    delta(1, 3, 'look.\n'),
    message('narration', 'I look.'),
    tool,
    message('immediate', 'on it'),
    delta(2, 0, 'do'),
    message('immediate', 'late one'),
    delta(2, 2, 'ne'),
    message('final', 'done'),
  ];
  expect(written(events, 'done')).toEqual([' I ', 'look.\n', '', '', '\n\non it', '\n\ndo', '', 'ne', '\n\nlate one', '']);
  expect(written(events, 'done', false).join('')).toBe('I look.\n\non it\n\nlate one\n\ndone');
});

test('IN-9 MO-3 what begins again is written where it says something else, behind a mark; where it says the same, nothing is', () => {
  const begun = [delta(1, 0, 'one two')];
  expect(written([...begun, delta(1, 0, ''), delta(1, 0, 'one '), delta(1, 4, 'two three')], 'one two three')).toEqual([
    'one two',
    '',
    '',
    ' three',
    '',
  ]);
  expect(written([...begun, delta(1, 0, ''), delta(1, 0, 'one'), delta(1, 3, ' more')], 'one more').join('')).toBe(
    `one two${BEGINS_AGAIN}one more`,
  );
  const moved = [...begun, tool, delta(2, 0, 'th'), delta(1, 0, 'one two'), delta(2, 0, 'three')];
  expect(written(moved, 'three').join('')).toBe('one two\n\nthree');
});

test('IN-9 TU-8 the last word counts: what was lost on the way, what a hook changed, a question; a notice is no answer', () => {
  expect(written([], 'all of it')).toEqual(['all of it']);
  expect(written([delta(1, 0, 'all')], 'all of it')).toEqual(['all', ' of it']);
  expect(written([delta(1, 5, 'lost'), message('final', 'all of it')], 'all of it').join('')).toBe('all of it');
  expect(written([delta(1, 0, 'one'), message('final', 'two')], 'two').join('')).toBe(`one${BEGINS_AGAIN}two`);
  expect(written([message('notice', 'Sorry')], '')).toEqual(['', '']);
  expect(written([delta(1, 0, 'hm'), message('narration', 'hm'), tool, message('notice', 'Red?')], 'Red?').join('')).toBe(
    'hm\n\nRed?',
  );
});

test('IN-9 however an answer is cut into pieces, the pieces make the answer', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.boolean(), (pieces, isDelivered) => {
      const whole = pieces.join('');
      let offset = 0;
      const deltas = pieces.map((piece) => delta(1, (offset += piece.length) - piece.length, piece));
      const events = isDelivered ? [...deltas, message('final', whole)] : deltas;
      expect(written(events, whole).join('')).toBe(whole);
    }),
  );
});
