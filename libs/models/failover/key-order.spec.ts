import { expect, test } from 'vitest';
import type { ModelProvider } from '#agent';
import { keysFor } from './key-order.js';

const key = (account: string): ModelProvider => ({
  id: 'p',
  account,
  stream: () => Promise.reject(new Error('not asked')) as never,
});
const KEYS = ['one', 'two', 'three', 'four'].map(key);
const never = Number.NEGATIVE_INFINITY;
const order = (own: string | undefined, uses: Record<string, number> = {}, resting: string[] = []) =>
  keysFor(KEYS, {
    own,
    isWell: ({ account = '' }) => !resting.includes(account),
    lastUse: (account) => uses[account] ?? never,
  }).map(({ account }) => account);

test('MO-3 a session begins under the key that nobody used for the longest time, those that rest behind the others', () => {
  expect(order(undefined)).toEqual(['one', 'two', 'three', 'four']);
  expect(order(undefined, { one: 40, two: 10, three: 30, four: 20 })).toEqual(['two', 'four', 'three', 'one']);
  expect(order(undefined, { one: 40, two: 10, four: 20 }, ['two', 'three'])).toEqual(['four', 'one', 'three', 'two']);
});

test('MO-3 a session asks under its own key first, whoever used it, and then as if it had none', () => {
  expect(order('three', { one: 40, two: 10, three: 99, four: 20 })).toEqual(['three', 'two', 'four', 'one']);
  expect(order('three', {}, ['three'])).toEqual(['three', 'one', 'two', 'four']);
  expect(order('gone', { one: 1 })).toEqual(['two', 'three', 'four', 'one']);
});
