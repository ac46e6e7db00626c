import { expect, test } from 'vitest';
import type { ClientConversation, TurnRecord } from '#contracts';
import { clientTurns, historyOf, underNewestSummary } from './turn-history.js';

const record = (n: number, compaction?: TurnRecord['compaction']): TurnRecord => ({
  v: 1,
  turn: `t${n}`,
  outcome: 'answered',
  inputs: [],
  messages: [{ role: 'user', text: `question ${n}` }],
  at: 1,
  ...(compaction && { compaction }),
});
const turnsOf = (records: TurnRecord[], most = 50) => historyOf(records, most, 'now').turns.map(({ turn }) => turn);

test('CX-2 without a compaction the conversation is all that was read', () => {
  expect(historyOf([record(1), record(2)], 50, 'now')).toMatchObject({ summary: '', carried: undefined });
  expect(turnsOf([record(1), record(2)])).toEqual(['t1', 't2']);
});

test('CX-2 it begins behind the last turn that the newest summary covers: the turns that were kept are read whole', () => {
  const records = [1, 2, 3, 4].map((n) => record(n));
  records.push(record(5, { summary: 'old', upTo: 't1' }), record(6, { summary: 'new', upTo: 't3' }), record(7));
  expect(historyOf(records, 50, 'now').summary).toBe('new');
  expect(turnsOf(records)).toEqual(['t4', 't5', 't6', 't7']);
});

test('CX-2 a summary whose last covered turn was not read any more bounds nothing and still stands', () => {
  const records = [record(5, { summary: 'all before', upTo: 't1' }), record(6)];
  expect(historyOf(records, 50, 'now').summary).toBe('all before');
  expect(turnsOf(records)).toEqual(['t5', 't6']);
});

test('CX-2 a summary that the next turn would not read any more is taken over by this one', () => {
  const compaction = { summary: 'all before', upTo: 't1' };
  const records = [record(5, compaction), record(6)];
  expect([2, 3].map((most) => historyOf(records, most, 'now').carried)).toEqual([compaction, undefined]);
});

const parked = { summary: 'at the park', upTo: 't1' };

test('TU-7 a turn that was parked stands where it ended; the turn that is taken up does not read what it left', () => {
  const records = [record(1), record(2), record(3), record(2), record(4)];
  expect(turnsOf(records)).toEqual(['t1', 't3', 't2', 't4']);
  expect(historyOf([record(1), record(2), record(3)], 50, 't2').turns.map(({ turn }) => turn)).toEqual(['t1', 't3']);
});

test('CX-2 TU-7 a summary that ends with a parked turn covers its first record, not what came before its last one', () => {
  const records = [record(1), record(2), record(3, { summary: 's', upTo: 't2' }), record(2), record(4)];
  expect(turnsOf(records)).toEqual(['t3', 't2', 't4']);
});

test('CX-2 TU-7 a turn that is taken up goes on under the newest summary, and keeps what its own cost', () => {
  const compacted = { k: 'compacted' as const, ...parked };
  const laidAside = { k: 'parked' } as Parameters<typeof underNewestSummary>[0][number];
  const newest = { summary: 'meanwhile', upTo: 't3' };
  expect(underNewestSummary([compacted, laidAside, compacted], newest)).toEqual([
    { ...compacted, ...newest },
    laidAside,
    compacted,
  ]);
  expect(underNewestSummary([compacted], newest)).toEqual([compacted]);
});

const told: ClientConversation = [
  { role: 'assistant', text: 'hello' },
  { role: 'user', text: 'a' },
  { role: 'user', text: 'b' },
  { role: 'assistant', text: 'c' },
  { role: 'user', text: 'd' },
];

test('IN-9 what a client tells is cut into turns, each begun by the user', () => {
  const texts = clientTurns('t1', told).map(({ messages }) => messages.map(({ text }) => text));
  expect(texts).toEqual([['hello'], ['a', 'b', 'c'], ['d']]);
});

test('IN-9 CX-2 it stands ahead of its turn, and a summary may cover a part of it', () => {
  const begun = { ...record(1), conversation: told };
  expect(turnsOf([begun, record(2)])).toEqual(['t1<0', 't1<1', 't1<2', 't1', 't2']);
  const compacted = { ...begun, compaction: { summary: 'hello, then a to c', upTo: 't1<1' } };
  expect(turnsOf([compacted, record(2)])).toEqual(['t1<2', 't1', 't2']);
  expect(historyOf([begun, record(2)], 50, 't1').turns.map(({ turn }) => turn)).toEqual(['t2']);
});
