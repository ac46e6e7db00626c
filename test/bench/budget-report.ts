import type { BudgetFigures } from '../model-budget-simulation.js';
import { line } from './report-line.js';

const USED = 0.95;
const FAIR = 0.8;

/** What was promised of shared model budgets and does not hold, in words. NaN holds nothing. */
export function missedByBudget({ refused, used, fairness }: BudgetFigures): string[] {
  return [
    ...(refused === 0 ? [] : [`the provider refused ${refused} calls, not 0`]),
    ...(used >= USED ? [] : [`${(100 * used).toFixed(1)} % of the allowance was used, less than ${100 * USED} %`]),
    ...(fairness >= FAIR ? [] : [`a tenant got ${fairness.toFixed(2)} calls for each of a burst's tenant, less than ${FAIR}`]),
  ];
}

/** For people. */
export function budgetLines({ runners, calls, refused, used, fairness, smallP50, hogP50 }: BudgetFigures): string[] {
  return [
    '',
    line(`one model key, ${runners} runners`, ['calls', 'refused', 'used']),
    line('  a burst of 700 beside 3 tenants', [String(calls), String(refused), `${(100 * used).toFixed(1)} %`]),
    line('  wait p50, ms: of the 3, of the burst', [smallP50.toFixed(0), hogP50.toFixed(0), `x ${fairness.toFixed(2)}`]),
  ];
}
