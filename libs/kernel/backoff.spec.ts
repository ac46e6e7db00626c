import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './index.js';

test('MO-3 a backoff doubles from half a second to a minute, with jitter over its upper half', () => {
  const lowest = () => 0;
  const highest = () => 1 - Number.EPSILON;
  expect([1, 2, 3, 7, 8, 20].map((attempt) => [backoffMs(attempt, lowest), backoffMs(attempt, highest)])).toEqual([
    [250, 500],
    [500, 1000],
    [1000, 2000],
    [16_000, 32_000],
    [30_000, 60_000],
    [30_000, 60_000],
  ]);
});

test('MO-3 whatever the attempt and the luck, a backoff is between a quarter of a second and a minute', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -5, max: 5000 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempt, luck) => {
        const ms = backoffMs(attempt, () => luck);
        expect(ms).toBeGreaterThanOrEqual(250);
        expect(ms).toBeLessThanOrEqual(60_000);
      },
    ),
  );
});
