import type { ToolCall } from '#contracts';
import { checkpoint } from '#kernel';
import { assistantMessage } from './model-answer.js';
import type { ModelProvider } from './model-port.js';
import { openCall } from './open-turn.js';
import { record } from './running-turn.js';
import { runCalls } from './tool-executor.js';
import type { Answer } from './turn-journal.js';
import { TurnCancelled, type TurnDeps, type TurnInput, type TurnResult } from './turn-types.js';

const NO_MODEL: ModelProvider = {
  id: 'none',
  stream: () => {
    throw new Error('A call without a model asks none');
  },
};

/**
 * Runs one call that no model has asked for (TO-6) to its result: journalled, resumed, limited and hooked as the calls of a turn
 * are. It stands in the journal as the answer that asks for it; nothing is said about its result, and nothing is paid.
 *
 * Rejects as runTurn does, but for what models throw.
 */
export async function runCall(
  given: Omit<TurnInput, 'model' | 'system' | 'history' | 'user'>,
  call: ToolCall,
  deps: Omit<TurnDeps, 'provider'>,
  signal: AbortSignal,
): Promise<Pick<TurnResult, 'messages' | 'park'>> {
  const input = { ...given, model: '', system: '', history: [], user: [] };
  const turn = await openCall(input, { ...deps, provider: NO_MODEL }, signal);
  const { journal, progress } = turn;
  const asked: Answer = journal.answer(1) ?? { k: 'answer', step: 1, text: '', toolCalls: [call] };
  if (journal.answer(1)) progress.add(assistantMessage(asked));
  else if (given.cancelled) throw new TurnCancelled();
  else await record(turn, asked, assistantMessage(asked));
  checkpoint('turn.answered');
  const park = await runCalls(turn, asked);
  return { messages: progress.messages, ...(park && { park }) };
}
