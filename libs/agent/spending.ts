import { costOf, type Spent, type Usage } from '#contracts';
import { TerminalError } from '#kernel';
import type { ModelPrice } from './model-port.js';
import type { RunningTurn } from './running-turn.js';

/** Throws TerminalError token_limit or cost_limit when the turn so far has used up what it may cost (TU-2). */
export function checkSpending({ input, progress: { ledger } }: RunningTurn): void {
  const tokens = ledger.total.inputTokens + ledger.total.outputTokens;
  if (input.maxTokens > 0 && tokens >= input.maxTokens)
    throw new TerminalError('token_limit', `The turn has used ${tokens} of ${input.maxTokens} tokens (maxTurnTokens)`);
  const cost = costOf(priced(ledger.lines, input.prices));
  if (input.maxCost > 0 && cost >= input.maxCost)
    throw new TerminalError('cost_limit', `The turn has cost ${cost.toFixed(4)} of ${input.maxCost} (maxTurnCost)`);
}

/** With the cost of each line whose model has a price. */
export function priced(lines: readonly Spent[], prices: Readonly<Record<string, ModelPrice>>): Spent[] {
  return lines.map((line) => {
    const price = prices[line.model];
    return price ? { ...line, cost: costAt(price, line) } : line;
  });
}

function costAt(price: ModelPrice, usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens: read = 0, cacheWriteTokens: written = 0 } = usage;
  const { inputPerMillion, cacheReadPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } = price;
  const fresh = Math.max(0, inputTokens - read - written);
  const input = fresh * inputPerMillion + read * cacheReadPerMillion + written * cacheWritePerMillion;
  return (input + outputTokens * price.outputPerMillion) / 1_000_000;
}
