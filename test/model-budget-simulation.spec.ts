import { expect, inject } from 'vitest';
import { simulateBudget } from './model-budget-simulation.js';
import { proves } from './proves.js';

proves(
  ['QU-5', 'QU-4', 'G6'],
  'eight runners on one key: never refused, 95 % of the allowance used, and a burst of one tenant keeps the others waiting for no more than its share',
  async () => {
    const { refused, used, fairness, smallP50, hogP50 } = await simulateBudget(inject('redisUrl'));
    expect(refused).toBe(0);
    expect(used).toBeGreaterThanOrEqual(0.95);
    expect(fairness).toBeGreaterThan(0.8);
    expect(smallP50).toBeLessThan(hogP50 / 3);
  },
  { timeout: 60_000 },
);
