import { expect, test } from 'vitest';
import type { TurnEvent } from '#contracts';
import { FenceFilter } from './fence-filter.js';

const delta = (fence: string, turn = 'm1~0'): TurnEvent => ({ type: 'text.delta', turn, fence, step: 0, offset: 0, text: 'x' });
const end = (turn = 'm1~0'): TurnEvent => ({ type: 'turn.end', turn, outcome: 'answered', messages: [], rows: [], text: '' });

function passed(...events: TurnEvent[]): boolean[] {
  const filter = new FenceFilter();
  return events.map((event) => filter.accepts(event));
}

test('TU-1 events of a lower fence are dropped once a higher one was seen', () => {
  expect(passed(delta('7.1.aa'), delta('7.2.bb'), delta('7.1.aa'), delta('8.1.cc'), delta('7.2.bb'))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ]);
});

test('TU-1 fences are compared as numbers, not as text', () => {
  expect(passed(delta('9.9.aa'), delta('10.1.aa'), delta('9.10.aa'))).toEqual([true, true, false]);
  expect(passed(delta('9.9.aa'), delta('9.10.aa'), delta('9.9.aa'))).toEqual([true, true, false]);
});

test('TU-1 each turn has its own fences, and what carries none always passes', () => {
  expect(passed(delta('9.1.aa'), delta('7.1.aa', 'm2~0'), end())).toEqual([true, true, true]);
});

test('B108 a filter that lives as long as a session keeps nothing of turns that ended', () => {
  const filter = new FenceFilter();
  for (let n = 0; n < 100; n++) for (const event of [delta('7.1.aa', `m${n}~0`), end(`m${n}~0`)]) filter.accepts(event);
  expect(Object.values(filter)).toEqual([new Map()]);
});
