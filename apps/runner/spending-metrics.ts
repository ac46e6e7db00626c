import type { Spent } from '#contracts';
import type { Metrics } from '#telemetry';

/** Once for each turn, when it has ended: attempts that died are in it. */
export function countSpending(metrics: Metrics, spent: readonly Spent[]): void {
  for (const { tier, cost = 0, ...usage } of spent) {
    metrics.modelTokens.inc({ type: 'input', tier }, usage.inputTokens);
    metrics.modelTokens.inc({ type: 'output', tier }, usage.outputTokens);
    metrics.modelTokens.inc({ type: 'cache_read', tier }, usage.cacheReadTokens ?? 0);
    metrics.modelTokens.inc({ type: 'cache_write', tier }, usage.cacheWriteTokens ?? 0);
    metrics.modelTokens.inc({ type: 'reasoning', tier }, usage.reasoningTokens ?? 0);
    metrics.modelCost.inc({ tier }, cost);
  }
}
