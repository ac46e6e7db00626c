import { expect, test } from 'vitest';
import { isBoundedPattern } from './mention-pattern.js';

test.each([
  'turnpike',
  String.raw`\bturnpike\b`,
  '^hey,? (turnpike|bot)[,:!]?',
  String.raw`@?turn\s*pike`,
  '[*+?|()]',
  String.raw`\(\?=x\)\*+`,
  String.raw`\p{Lu}bot`,
  '你好|机器人',
  'bo{1,9}t',
  'a+?b',
])('IN-8 %s is a pattern', (pattern) => {
  expect(isBoundedPattern(pattern)).toBe(true);
});

test.each([
  '(a+)+$',
  '(a|aa)+$',
  '(?:a*)*',
  '(ab){2,9}c',
  'a*a*a*b',
  String.raw`\w+\s+\w+`,
  'a?'.repeat(20),
  '(a|a)'.repeat(11),
  String.raw`(a)\1`,
  String.raw`(?<n>a)\k<n>`,
  '(?=a)b',
  '(?<!a)b',
  'a'.repeat(201),
  '(',
  '[',
  String.raw`\-`,
])('IN-8 %s is refused', (pattern) => {
  expect(isBoundedPattern(pattern)).toBe(false);
});

test('IN-8 the worst that is let through is done in a moment', () => {
  const worst = ['(a|a)(a|a)(a|a)(a|a)a*b', '(a|a|a)(a|a|a)(a|a|a)(a|a|a)(a|a|a)b', 'a*b'];
  const text = 'a'.repeat(1000);
  for (const pattern of worst) expect([isBoundedPattern(pattern), new RegExp(pattern, 'iu').test(text)]).toEqual([true, false]);
});
