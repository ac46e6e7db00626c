import { expect, test } from 'vitest';
import type { TurnEvent } from '#contracts';
import { terminalStyle } from './terminal-style.js';
import { TurnPrinter } from './turn-printer.js';

const turn = 't~0';
const delta = (step: number, offset: number, text: string, fence = '7.1.a'): TurnEvent => ({
  type: 'text.delta',
  turn,
  fence,
  step,
  offset,
  text,
});
const message = (text: string, deliveryMode: 'narration' | 'immediate' | 'final' | 'notice' = 'final'): TurnEvent => ({
  type: 'message',
  id: `${turn}-1`,
  turn,
  text,
  deliveryMode,
  sequenceInTurn: 1,
  deliveredAt: 1,
});
const end = (outcome: 'answered' | 'cancelled' | 'failed' = 'answered'): TurnEvent => ({
  type: 'turn.end',
  turn,
  outcome,
  messages: [],
  rows: [],
  text: '',
});

function printed(live: boolean, ...events: TurnEvent[]): string {
  let out = '';
  const printer = new TurnPrinter({ write: (text) => (out += text), style: terminalStyle(false), live });
  for (const event of events) printer.event(event);
  return out;
}

test('OUT-3 an answer that was streamed is not printed again, before or after the end of its turn', () => {
  expect(printed(true, delta(1, 0, 'he'), delta(1, 2, 'llo'), end(), message('hello'))).toBe('hello\n');
  expect(printed(true, delta(1, 0, 'hello'), message('hello'), end())).toBe('hello\n');
});

test('OUT-3 without a terminal only what was delivered is printed', () => {
  expect(printed(false, delta(1, 0, 'hel'), message('hello'), end())).toBe('hello\n');
});

test('OUT-3 narration that arrives during the next step is recognised', () => {
  expect(
    printed(
      true,
      delta(1, 0, 'Looking.'),
      delta(2, 0, 'Found'),
      message('Looking.', 'narration'),
      delta(2, 5, ' it.'),
      message('Found it.'),
    ),
  ).toBe('Looking.\nFound\n it.\n');
});

test('TU-1 a higher fence starts the text again, and says so', () => {
  expect(printed(true, delta(1, 0, 'half an'), delta(1, 0, 'half an answer', '7.2.b'), message('half an answer'))).toBe(
    'half an\n(interrupted: the answer starts again)\nhalf an answer\n',
  );
});

test('IN-5 text that comes twice after a reconnect is printed once', () => {
  expect(printed(true, delta(1, 0, 'one '), delta(1, 0, 'one '), delta(1, 4, 'two'), message('one two'))).toBe('one two\n');
});

test('TO-1 progress is marked; the end of a turn without an answer is said', () => {
  expect(printed(true, message('half way', 'immediate'), delta(1, 0, 'and'), end('cancelled'))).toBe(
    '▸ half way\nand\n(stopped)\n',
  );
  expect(printed(false, message('Sorry.', 'notice'), end('failed'))).toBe('Sorry.\n(the turn failed)\n');
});

test('MO-3 OUT-3 an answer that another model begins again is printed again, whole, and said to be so', () => {
  const again = [delta(1, 0, 'half of'), delta(1, 0, 'hal'), delta(1, 3, 'o'), message('halo')];
  expect(printed(true, ...again)).toBe('half of\n(interrupted: the answer starts again)\nhalo\n');
  expect(printed(true, delta(1, 0, 'half'), delta(1, 0, ''), delta(1, 0, 'half'), message('half'))).toBe('half\n');
});

test('TO-1 what was printed stays: a change of it is said on a line of its own', () => {
  const changed = (action: Extract<TurnEvent, { type: 'message.changed' }>['action'], text = ''): TurnEvent => ({
    type: 'message.changed',
    id: `${turn}-2`,
    turn,
    action,
    text,
    deliveryMode: 'immediate',
    sequenceInTurn: 2,
    deliveredAt: 1,
  });
  const of = 'm';
  expect(
    printed(
      true,
      message('50 %', 'immediate'),
      changed({ do: 'edit', message: of }, '100 %'),
      changed({ do: 'react', message: of, emoji: '👍' }),
      changed({ do: 'react', message: of, emoji: null }),
      changed({ do: 'delete', message: of }),
    ),
  ).toBe('▸ 50 %\n▸ (changed to) 100 %\n(reacts with 👍)\n(a message was deleted)\n');
});
