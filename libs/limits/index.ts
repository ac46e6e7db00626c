export { ModelBudgets, type BudgetLimits, type BudgetName, type CallEnd } from './model-budgets.js';
export { ModelHealth } from './model-health.js';
export { USAGE_DAY_TTL_MS, USAGE_DAYS, UsageAccount } from './usage-account.js';
export { usageFields } from './usage-fields.js';
export { RequestLimiter, type Counted } from './request-limiter.js';
