import type { Spent } from '#contracts';
import type { Metrics } from '#telemetry';

/** Once for each turn, when it has ended: attempts that died are in it. */
export function countSpending(metrics: Metrics, spent: readonly Spent[]): void {
  for (const { model: name, tier, cost = 0, ...usage } of spent) {
    const [provider = name, ...model] = name.split('/');
    const tokens = {
      input: usage.inputTokens,
      output: usage.outputTokens,
      cache_read: usage.cacheReadTokens ?? 0,
      cache_write: usage.cacheWriteTokens ?? 0,
      reasoning: usage.reasoningTokens ?? 0,
    };
    for (const [type, count] of Object.entries(tokens))
      metrics.modelTokens.inc({ provider, model: model.join('/'), type, tier }, count);
    metrics.modelCost.inc({ tier }, cost);
  }
}
