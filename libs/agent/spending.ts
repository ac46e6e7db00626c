import { TerminalError } from '#kernel';
import type { RunningTurn } from './running-turn.js';

/** Throws TerminalError token_limit or cost_limit when the answers so far have used up what the turn may cost (TU-2). */
export function checkSpending({ input, deps, progress }: RunningTurn): void {
  const { inputTokens, outputTokens } = progress.usage;
  const tokens = inputTokens + outputTokens;
  if (input.maxTokens > 0 && tokens >= input.maxTokens)
    throw new TerminalError('token_limit', `The turn has used ${tokens} of ${input.maxTokens} tokens (maxTurnTokens)`);
  const price = input.prices[`${deps.provider.id}/${input.model}`];
  if (input.maxCost === 0 || !price) return;
  const cost = (inputTokens * price.inputPerMillion + outputTokens * price.outputPerMillion) / 1_000_000;
  if (cost >= input.maxCost)
    throw new TerminalError('cost_limit', `The turn has cost ${cost.toFixed(4)} of ${input.maxCost} (maxTurnCost)`);
}
