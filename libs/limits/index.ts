export { ModelBudgets, type BudgetLimits, type BudgetName, type CallEnd } from './model-budgets.js';
export { ModelHealth } from './model-health.js';
export { RequestLimiter, type Counted } from './request-limiter.js';
