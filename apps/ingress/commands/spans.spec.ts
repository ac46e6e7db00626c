import { expect, test } from 'vitest';
import { spanText } from './spans.js';

test.each([
  [0, '0 s'],
  [119_000, '119 s'],
  [120_000, '2 min'],
  [7_199_000, '2 h'],
  [172_800_000, '2 days'],
])('RT-4 %i ms is %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
