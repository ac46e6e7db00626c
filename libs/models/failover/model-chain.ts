import { AnswerParts, FallbackOverflow, requestTokens, type ModelEvent, type ModelProvider, type ModelRequest } from '#agent';
import { TransientError } from '#kernel';
import { nameOf, type Candidate } from './candidate.js';
import { ChainCall } from './chain-call.js';
import type { ChainParts } from './chain-parts.js';
import { codeOf } from './failover-policy.js';

/** What watchers may have seen of an answer. */
const SHOWN = new Set<ModelEvent['type']>(['text', 'tool_call_start', 'tool_call']);

/**
 * Models that may stand in for each other, as one provider (MO-3): a question goes to the first one that is well, and on to the
 * next when it fails; only provider and model change. Every candidate is asked once a question, and once more where that is cheap.
 * Throws at once what no other would do better (REACTIONS), else, when all have failed, the failure with the best prospects;
 * FallbackOverflow when one that stands in has a window that is too small.
 */
export class ModelChain implements ModelProvider {
  constructor(
    private readonly candidates: readonly [Candidate, ...Candidate[]],
    private readonly parts: ChainParts,
  ) {}

  get id(): string {
    return this.candidates[0].provider.id;
  }

  async *stream(asked: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const call = new ChainCall(this.candidates, this.parts);
    let isShown = false;
    for (let candidate = await call.next(signal); candidate; candidate = await call.next(signal)) {
      try {
        if (isShown) yield { type: 'restart' };
        isShown = false;
        for await (const event of this.#answerOf(candidate, asked, signal)) {
          isShown ||= SHOWN.has(event.type);
          if (event.type === 'stop') call.answered();
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        call.failed(this.#isFirst(candidate) ? error : asFallback(error, this.#window(candidate)));
      }
    }
    throw call.verdict;
  }

  /** A whole answer that says something, or an error. */
  async *#answerOf(candidate: Candidate, asked: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const request = this.#isFirst(candidate) ? asked : this.#requestTo(candidate, asked);
    const answer = new AnswerParts(candidate.provider.id, request.model);
    yield { type: 'answering', model: `${answer.provider}/${answer.model}` };
    for await (const event of candidate.provider.stream(request, signal)) {
      answer.add(event);
      if (event.type === 'stop' && event.reason !== 'refusal' && answer.isEmpty)
        throw new TransientError('empty_response', `${nameOf(candidate)} answered with nothing`);
      yield event;
    }
    if (!answer.stop) throw new TransientError('stream_truncated', `${nameOf(candidate)} ended its answer in the middle`);
  }

  /** Some servers cut in silence what has no room, so it is not sent. */
  #requestTo(candidate: Candidate, asked: ModelRequest): ModelRequest {
    const { model, windowTokens } = this.#window(candidate);
    if (requestTokens(asked) > windowTokens) throw new FallbackOverflow(model, windowTokens);
    return { ...asked, model: candidate.model };
  }

  #window(candidate: Candidate): Window {
    return { model: nameOf(candidate), windowTokens: this.parts.windowOf(candidate.provider.id, candidate.model) };
  }

  /** Also under another key of it. */
  #isFirst(candidate: Candidate): boolean {
    return nameOf(candidate) === nameOf(this.candidates[0]);
  }
}

interface Window {
  model: string;
  windowTokens: number;
}

function asFallback(error: unknown, { model, windowTokens }: Window): unknown {
  if (codeOf(error) !== 'context_overflow' || error instanceof FallbackOverflow) return error;
  return new FallbackOverflow(model, windowTokens, { cause: error });
}
