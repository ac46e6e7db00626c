import { AnswerParts } from '../answer-parts.js';
import { withoutHiddenReasoning } from '../hidden-reasoning.js';
import type { ModelEvent, ModelRequest } from '../model-port.js';
import { idsOf, type RunningTurn } from '../running-turn.js';

/** One answer of the model, as llm_input let it be asked for; llm_output is told of a whole one. */
export async function* streamAnswer(turn: RunningTurn, asked: ModelRequest): AsyncGenerator<ModelEvent> {
  const { deps, hooks, signal } = turn;
  const told = { ...idsOf(turn), provider: deps.provider.id };
  const { request } = await hooks.modify('llm_input', { ...told, request: asked }, signal);
  if (request.model !== asked.model) yield { type: 'answering', model: `${told.provider}/${request.model}` };
  const events = withoutHiddenReasoning(deps.provider.stream(request, signal));
  if (!hooks.has('llm_output')) return yield* events;
  const answer = new AnswerParts(told.provider, request.model);
  for await (const event of events) {
    answer.add(event);
    const { provider, model, text, toolCalls, usage } = answer;
    if (event.type === 'stop') hooks.observe('llm_output', { ...told, provider, model, text, toolCalls, usage });
    yield event;
  }
}
