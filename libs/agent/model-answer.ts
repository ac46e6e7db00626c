import type { AssistantMessage } from '#contracts';
import { checkpoint, TerminalError, TransientError } from '#kernel';
import { AnswerParts } from './answer-parts.js';
import { uniqueCallIds } from './call-ids.js';
import { isOverflow } from './context/context-overflow.js';
import { streamAnswer } from './hooks/model-hooks.js';
import type { ModelEvent, ModelRequest } from './model-port.js';
import { record, type RunningTurn } from './running-turn.js';
import { paidStream } from './paid-stream.js';
import { mayBeSilent, visibleText } from './silent-reply.js';
import { failuresInARow } from './tool-failures.js';
import { findTool, toolsOf } from './tool-names.js';
import type { Answer } from './turn-journal.js';
import { underSignal } from './under-signal.js';

const STEP_LIMIT_NOTE =
  'The step limit of this turn is reached: no tools are available any more. Answer now with what you have, and say what is unfinished.';

/** Asks for one answer, streams its text to the watchers and journals it before anything acts on it. */
export async function askModel(turn: RunningTurn, step: number): Promise<Answer> {
  checkpoint('turn.model');
  const last = step > turn.input.maxSteps;
  const { text, toolCalls: calls, reasoning, stop, provider, model } = await askWithinWindow(turn, step, last);
  const tools = toolsOf(turn.input, `${provider}/${model}`);
  const named = last ? [] : calls.map((call) => ({ ...call, name: findTool(call.name, tools)?.name ?? call.name }));
  const taken = turn.progress.messages.flatMap((m) => (m.role === 'assistant' ? m.toolCalls.map((call) => call.id) : []));
  const toolCalls = uniqueCallIds(named, step, taken);
  if (text.trim() === '' && toolCalls.length === 0) throw nothingSaid(stop);
  const spent = [...turn.progress.ledger.unwritten];
  const answer: Answer = {
    k: 'answer',
    step,
    text,
    toolCalls,
    ...(reasoning.length > 0 && { reasoning }),
    model: `${provider}/${model}`,
    spent,
  };
  await record(turn, answer, assistantMessage(answer));
  checkpoint('turn.answered');
  return answer;
}

/** Asking again would be refused again. */
function nothingSaid(stop: AnswerParts['stop']): TransientError | TerminalError {
  return stop === 'refusal'
    ? new TerminalError('refusal', 'The model refused to answer')
    : new TransientError('empty_response', 'The model answered with nothing');
}

export function assistantMessage({ text, toolCalls, reasoning }: Answer): AssistantMessage {
  return { role: 'assistant', text, toolCalls, ...(reasoning && { reasoning }) };
}

/** A question that is too long is asked again, shorter, until the ladder of TU-6 ends. */
async function askWithinWindow(turn: RunningTurn, step: number, last: boolean) {
  for (;;) {
    const request = await turn.context.request(frameOf(turn, last));
    try {
      const answer = await readAnswer(turn, step, request);
      turn.context.answered(request, answer.usage);
      return answer;
    } catch (error) {
      if (!isOverflow(error)) throw error;
      await turn.context.refused(request, error);
    }
  }
}

/** What a request of this turn always holds; the context engine chooses its messages. */
function frameOf({ input, progress }: RunningTurn, last: boolean): Pick<ModelRequest, 'system' | 'tools'> {
  const offered = input.tools.filter((tool) => failuresInARow(progress.messages, tool.name) < input.toolFailureLimit);
  return {
    system: last ? `${input.system}\n\n${STEP_LIMIT_NOTE}`.trim() : input.system,
    tools: last ? [] : offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

async function readAnswer(turn: RunningTurn, step: number, request: ModelRequest): Promise<AnswerParts> {
  const { progress, signal, deps, tier } = turn;
  const answer = new AnswerParts(deps.provider.id, request.model);
  const shown = new ShownText(turn, step);
  progress.partial = '';
  progress.reasoning = '';
  const events = untilAborted(streamAnswer(turn, request), signal);
  const asked = { request, provider: deps.provider.id, tier };
  for await (const event of paidStream(events, { ...asked, pay: (spent) => progress.ledger.pay(spent) })) {
    answer.add(event);
    progress.partial = answer.text;
    if (event.type === 'restart') shown.takeBack();
    if (event.type === 'restart') progress.reasoning = '';
    if (event.type === 'reasoning') progress.reasoning += event.text;
    if (event.type === 'tool_call_start') showDraft(turn, step, event.name);
    if (event.type !== 'text') continue;
    if (!mayBeSilent(answer.text)) shown.show(answer.text);
    checkpoint('turn.stream');
  }
  if (!answer.stop) throw new TransientError('stream_truncated', 'The model stream ended in the middle of an answer');
  if (visibleText(answer.text)) shown.show(answer.text);
  return answer;
}

/** A tool that there is none of is no news: its call will be refused. */
function showDraft({ deps, input }: RunningTurn, step: number, called: string): void {
  const name = findTool(called, input.tools)?.name;
  if (name !== undefined) deps.emit({ type: 'tool.draft', turn: input.turn, step, name });
}

/** What watchers were shown of a step's text. */
class ShownText {
  #length = 0;

  constructor(
    private readonly turn: RunningTurn,
    private readonly step: number,
  ) {}

  show(text: string): void {
    if (this.#length === text.length) return;
    this.#emit(text.slice(this.#length));
    this.#length = text.length;
  }

  takeBack(): void {
    if (this.#length === 0) return;
    this.#length = 0;
    this.#emit('');
  }

  #emit(text: string): void {
    const { deps, input } = this.turn;
    deps.emit({ type: 'text.delta', turn: input.turn, step: this.step, offset: this.#length, text });
  }
}

/** Ends with the signal's reason even where a provider is slow to notice it. */
async function* untilAborted(events: AsyncIterable<ModelEvent>, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await underSignal(signal, () => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    iterator.return?.().catch(() => undefined);
  }
}
