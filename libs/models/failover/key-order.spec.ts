import { expect, test } from 'vitest';
import type { ModelProvider } from '#agent';
import { keysFor } from './key-order.js';

const key = (account: string): ModelProvider => ({
  id: 'p',
  account,
  stream: () => Promise.reject(new Error('not asked')) as never,
});
const KEYS = ['one', 'two', 'three', 'four'].map(key);
const SESSIONS = Array.from({ length: 2000 }, (_, n) => `session-${n}`);
const order = (session: string, keys = KEYS) => keysFor(session, keys).map(({ account }) => account);

test('MO-3 a session keeps its order of keys, in whatever order they are configured', () => {
  for (const session of SESSIONS.slice(0, 50)) expect(order(session, KEYS.toReversed())).toEqual(order(session));
});

test('MO-3 every key has its share of the sessions, and of those of a key that fails', () => {
  const shares = (place: number, sessions: string[]) =>
    Object.values(Object.groupBy(sessions, (session) => order(session)[place] ?? '')).map((one) => one?.length ?? 0);
  expect(Math.min(...shares(0, SESSIONS))).toBeGreaterThan(400);
  const ofOne = SESSIONS.filter((session) => order(session)[0] === 'one');
  expect(shares(1, ofOne)).toHaveLength(3);
  expect(Math.min(...shares(1, ofOne))).toBeGreaterThan(ofOne.length / 5);
});

test('MO-3 a new key takes over its share and moves no other session', () => {
  for (const session of SESSIONS.slice(0, 200)) {
    const after = order(session, [...KEYS, key('five')]);
    expect(after.filter((account) => account !== 'five')).toEqual(order(session));
  }
});
