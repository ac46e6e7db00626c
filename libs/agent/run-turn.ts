import { checkpoint, TerminalError } from '#kernel';
import { HookedSends, SendRefused } from './hooks/hooked-sends.js';
import { askModel, assistantMessage } from './model-answer.js';
import { openTurn } from './open-turn.js';
import { idsOf, type RunningTurn } from './running-turn.js';
import { visibleText } from './silent-reply.js';
import { checkSpending } from './spending.js';
import { runCalls } from './tool-executor.js';
import type { Answer } from './turn-journal.js';
import { TurnCancelled, type TurnDeps, type TurnInput, type TurnResult } from './turn-types.js';
import { underSignal } from './under-signal.js';

/**
 * Runs a turn to its final answer: model, tools, model, until an answer calls no tool (TU-2). What the journal holds
 * is reused and never happens again (TU-1), or to a call that waits for a person (TU-7). The final text is returned, not sent: it belongs to the commit.
 *
 * Rejects promptly with the signal's reason; with TurnCancelled; with LeaseLostError; with a TransientError or
 * TerminalError of the provider, of a limit, of a loop or of a hook. `deps.progress` then holds how far it came.
 */
export async function runTurn(input: TurnInput, deps: TurnDeps, signal: AbortSignal): Promise<TurnResult> {
  const turn = await openTurn(input, deps, signal);
  const { messages } = turn.progress;
  const { total: usage } = turn.progress.ledger;
  for (let step = 1; ; step += 1) {
    const answer = reuseAnswer(turn, step) ?? (await askNext(turn, step));
    await tellReasoning(turn, step);
    if (answer.toolCalls.length === 0) return { messages, text: await finalText(turn, answer), usage, steps: step };
    await narrate(turn, answer);
    const park = await runCalls(turn, answer);
    if (park) return { messages, text: '', usage, steps: step, park };
    await turn.steering.close(step, turn.progress);
  }
}

async function askNext(turn: RunningTurn, step: number): Promise<Answer> {
  if (turn.input.cancelled) throw new TurnCancelled();
  checkSpending(turn);
  return askModel(turn, step);
}

/** A watcher that sees the fence rise starts each step's text again, so it is shown again, whole. */
function reuseAnswer({ input, deps, journal, progress }: RunningTurn, step: number): Answer | undefined {
  const answer = journal.answer(step);
  if (!answer) return undefined;
  progress.add(assistantMessage(answer));
  const text = visibleText(answer.text);
  if (text) deps.emit({ type: 'text.delta', turn: input.turn, step, offset: 0, text });
  return answer;
}

/** Characters of what is shown of one thought. */
const MOST_REASONING = 4000;

/** Text beside tool calls, and with `verbose` the tools, leaves before those tools run, so that the reader sees the order in which it was written (B005). */
async function narrate(turn: RunningTurn, answer: Answer): Promise<void> {
  const { input, journal } = turn;
  const text = narration(input, answer);
  if (text === '' || answer.toolCalls.some((call) => journal.wasStarted(call.id))) return;
  await say(turn, `text:${answer.step}`, text);
  checkpoint('turn.narrated');
}

/** Only where somebody asked to see it. It is not kept: an attempt that takes the answer out of the journal has nothing to tell. */
async function tellReasoning(turn: RunningTurn, step: number): Promise<void> {
  const { progress, input } = turn;
  const thought = progress.reasoning.trim().slice(0, MOST_REASONING);
  progress.reasoning = '';
  if (!input.showReasoning || thought === '') return;
  await say(turn, `reasoning:${step}`, `Reasoning:\n${thought.replaceAll(/^/gm, '> ')}`);
}

async function say(turn: RunningTurn, key: string, text: string): Promise<void> {
  const sends = new HookedSends(turn, turn.deps.sends);
  const { canSendNow } = sends;
  const request = { key, text, mode: 'narration' as const, fellBack: !canSendNow };
  try {
    await underSignal<unknown>(turn.signal, () => (canSendNow ? sends.now(request) : sends.atEnd(request)));
  } catch (error) {
    if (!(error instanceof SendRefused)) throw error;
  }
}

/** Sends of the message tool show themselves. */
function narration(input: RunningTurn['input'], { text, toolCalls }: Answer): string {
  const said = input.narration ? visibleText(text).trim() : '';
  const tools = input.verbose ? toolCalls.filter(({ name }) => name !== 'message').map(({ name }) => `· ${name}`) : [];
  return [said, ...tools].filter(Boolean).join('\n');
}

/** '' when a hook refused the answer. A check that did not work ends the turn, so that the user hears of it. */
async function finalText(turn: RunningTurn, answer: Answer): Promise<string> {
  const text = visibleText(answer.text);
  if (text === '') return '';
  const verdict = await turn.hooks.gate('message_sending', { ...idsOf(turn), mode: 'final', text }, turn.signal);
  if (verdict.kind === 'passed') return verdict.payload.text;
  if (verdict.failed) throw new TerminalError('send_check_failed', `The answer was held back: ${verdict.reason}`);
  return '';
}
