import { describe, expect, test } from 'vitest';
import { resetDue, resetRuleFor, type ResetRule } from './reset-rule.js';

const at = (iso: string): number => Date.parse(`2026-11-${iso}:00Z`);
const none: ResetRule = { timeZone: 'UTC', idleMinutes: 0 };
const daily: ResetRule = { ...none, dailyAtHour: 4 };
const idle: ResetRule = { ...none, idleMinutes: 60 };
const epoch = { began: at('29T20:00'), last: at('29T22:00') };

describe('when a session begins anew', () => {
  test.each([
    ['never', none, '30T23:00', undefined],
    ['before the hour', daily, '30T03:59', undefined],
    ['at the hour', daily, '30T04:00', 'daily'],
    ['within the idle time', idle, '29T22:59', undefined],
    ['behind it', idle, '29T23:00', 'idle'],
    ['both: idle came first', { ...daily, ...idle, dailyAtHour: 4 }, '30T05:00', 'idle'],
    ['both: the hour came first', { ...daily, idleMinutes: 600 }, '30T09:00', 'daily'],
    ['both: only the hour', { ...daily, idleMinutes: 600 }, '30T05:00', 'daily'],
  ] as const)('RT-3 %s', (_, rule, accepted, expected) => {
    expect(resetDue(rule, epoch, at(accepted))).toBe(expected);
  });

  test('RT-3 not on its first turn, and only once a day', () => {
    expect(resetDue({ ...daily, idleMinutes: 1 }, { began: undefined, last: undefined }, at('30T12:00'))).toBeUndefined();
    expect(resetDue(daily, { began: at('30T04:00'), last: at('30T04:00') }, at('30T23:59'))).toBeUndefined();
  });
});

test('RT-3 the channel has the first word, then the kind of chat', () => {
  const rules = { reset: none, resetByType: { direct: daily, thread: idle }, resetByChannel: { telegram: none } };
  const of = (channel: string, chatType: 'direct' | 'group' | 'channel', isThread = false) =>
    resetRuleFor(rules, { channel, chatType, isThread });
  expect(of('generic', 'direct')).toBe(daily);
  expect(of('generic', 'group')).toBe(none);
  expect(of('generic', 'group', true)).toBe(idle);
  expect(of('telegram', 'direct')).toBe(none);
  expect(of('toString', 'direct')).toBe(daily);
});
