export { ModelBudgets, type BudgetLimits, type BudgetName, type CallEnd } from './model-budgets.js';
export { RequestLimiter } from './request-limiter.js';
