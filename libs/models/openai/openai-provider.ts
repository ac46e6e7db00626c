import OpenAI from 'openai';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { systemClock, TransientError, type Clock } from '#kernel';
import { accountOf } from '../account.js';
import { limitsSaid } from '../rate-limit-headers.js';
import { IdleWatchdog } from './idle-watchdog.js';
import { toTurnpikeError } from './openai-errors.js';
import { toMessages, toTools } from './openai-messages.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

export interface OpenAiOptions {
  apiKey: string;
  /** Any server that speaks Chat Completions; default OpenAI's own. */
  baseUrl?: string;
  /** Default `openai`. */
  id?: string;
  /** ms without a byte of the answer before it counts as hung; default 120,000. */
  idleTimeoutMs?: number;
  clock?: Clock;
}

type StopReason = Extract<ModelEvent, { type: 'stop' }>['reason'];

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;
const STOP_REASONS: Record<string, StopReason> = {
  length: 'length',
  content_filter: 'refusal',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
};

/** Chat Completions, streamed, from OpenAI or any compatible base URL (MO-1, MO-2). Retries are the caller's. */
export class OpenAiProvider implements ModelProvider {
  readonly id: string;
  readonly account: string;
  readonly #client: OpenAI;
  readonly #idleMs: number;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;

  constructor({ apiKey, baseUrl, id = 'openai', idleTimeoutMs = 120_000, clock = systemClock }: OpenAiOptions) {
    this.id = id;
    this.account = accountOf(id, baseUrl, apiKey);
    this.#client = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, timeout: NEVER_MS, logLevel: 'off' });
    this.#idleMs = idleTimeoutMs;
    this.#clock = clock;
    this.#redact = (text) => (apiKey ? text.replaceAll(apiKey, '[key]') : text);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    using watchdog = new IdleWatchdog(this.#idleMs);
    const failure = (error: unknown) => {
      if (watchdog.signal.aborted) return new TransientError('timeout', `${this.id} sent nothing for ${this.#idleMs / 1000} s`);
      return error instanceof TransientError ? error : toTurnpikeError(this.id, error, this.#clock, this.#redact);
    };
    try {
      const { data: chunks, response } = await this.#open(request, AbortSignal.any([signal, watchdog.signal]));
      const limits = limitsSaid(response.headers);
      if (limits) yield { type: 'limits', ...limits };
      yield* readChunks(chunks, watchdog);
    } catch (error) {
      signal.throwIfAborted();
      throw failure(error);
    }
  }

  #open({ model, tools, ...rest }: ModelRequest, signal: AbortSignal) {
    const body = {
      model,
      messages: toMessages({ model, tools, ...rest }),
      stream: true as const,
      stream_options: { include_usage: true },
    };
    return this.#client.chat.completions
      .create({ ...body, ...(tools.length > 0 && { tools: toTools(tools) }) }, { signal })
      .withResponse();
  }
}

/** The SDK ends an aborted or cut stream without a word, so only a finish reason makes an answer whole (TU-8). */
async function* readChunks(chunks: AsyncIterable<ChatCompletionChunk>, watchdog: IdleWatchdog): AsyncGenerator<ModelEvent> {
  const calls = new ToolCallAssembler();
  let finish: string | undefined;
  for await (const chunk of chunks) {
    watchdog.heard();
    if (chunk.usage) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = chunk.usage;
      yield { type: 'usage', usage: { inputTokens, outputTokens } };
    }
    const choice = chunk.choices?.[0];
    if (!choice) continue;
    yield* textOf(choice.delta);
    for (const delta of choice.delta?.tool_calls ?? []) calls.add(delta);
    finish = choice.finish_reason ?? finish;
  }
  if (finish === undefined) throw new TransientError('stream_truncated', 'The model stream ended without a finish reason');
  for (const call of calls.finish()) yield { type: 'tool_call', ...call };
  const reason = STOP_REASONS[finish] ?? 'stop';
  yield { type: 'stop', reason: calls.finish().length > 0 && reason === 'stop' ? 'tool_calls' : reason };
}

/** `reasoning_content` and `reasoning` are what compatible servers call it; the SDK knows neither. */
function* textOf(
  delta: (ChatCompletionChunk.Choice.Delta & { reasoning_content?: unknown; reasoning?: unknown }) | undefined,
): Generator<ModelEvent> {
  const reasoning = delta?.reasoning_content ?? delta?.reasoning;
  if (typeof reasoning === 'string' && reasoning) yield { type: 'reasoning', text: reasoning };
  const text = delta?.content || delta?.refusal;
  if (text) yield { type: 'text', text };
}
