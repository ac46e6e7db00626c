import { checkpoint } from '#kernel';
import { askModel, assistantMessage } from './model-answer.js';
import type { RunningTurn } from './running-turn.js';
import { visibleText } from './silent-reply.js';
import { runCall } from './tool-executor.js';
import { TurnJournal, type Answer } from './turn-journal.js';
import { TurnProgress } from './turn-progress.js';
import type { TurnDeps, TurnInput, TurnResult } from './turn-types.js';
import { underSignal } from './under-signal.js';

/**
 * Runs a turn to its final answer: model, tools, model, until an answer calls no tool (TU-2). What the journal holds
 * is reused and never happens again (TU-1). The final text is returned, not sent: it belongs to the commit.
 *
 * Rejects promptly with the signal's reason; with TurnCancelled; with LeaseLostError; with the provider's
 * TransientError or TerminalError. `deps.progress` then holds how far it came.
 */
export async function runTurn(input: TurnInput, deps: TurnDeps, signal: AbortSignal): Promise<TurnResult> {
  const progress = deps.progress ?? new TurnProgress();
  const journal = new TurnJournal(input.journal);
  const { narration = true, maxSteps = 30, toolFailureLimit = 5 } = input;
  const turn: RunningTurn = { input: { ...input, narration, maxSteps, toolFailureLimit }, deps, journal, progress, signal };
  for (let step = 1; ; step += 1) {
    const answer = reuseAnswer(turn, step) ?? (await askModel(turn, step));
    if (answer.toolCalls.length === 0) {
      return { messages: progress.messages, text: visibleText(answer.text), usage: progress.usage, steps: step };
    }
    await narrate(turn, answer);
    for (const call of answer.toolCalls) await runCall(turn, call);
  }
}

/** A watcher that sees the fence rise starts each step's text again, so it is shown again, whole. */
function reuseAnswer({ input, deps, journal, progress }: RunningTurn, step: number): Answer | undefined {
  const answer = journal.answer(step);
  if (!answer) return undefined;
  progress.add(assistantMessage(answer), answer.usage);
  const text = visibleText(answer.text);
  if (text) deps.emit({ type: 'text.delta', turn: input.turn, step, offset: 0, text });
  return answer;
}

/** Text beside tool calls leaves before those tools run, so that the reader sees the order in which it was written (B005). */
async function narrate({ input, deps, journal, signal }: RunningTurn, answer: Answer): Promise<void> {
  const text = visibleText(answer.text).trim();
  if (!input.narration || text === '' || answer.toolCalls.some((call) => journal.wasStarted(call.id))) return;
  const { canSendNow } = deps.sends;
  const request = { key: `text:${answer.step}`, text, mode: 'narration' as const, fellBack: !canSendNow };
  await underSignal<unknown>(signal, () => (canSendNow ? deps.sends.now(request) : deps.sends.atEnd(request)));
  checkpoint('turn.narrated');
}
