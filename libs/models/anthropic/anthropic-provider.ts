import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { systemClock, type Clock } from '#kernel';
import { accountOf } from '../wire/account.js';
import type { AnswerTimes } from '../wire/answer-watchdog.js';
import { wordCallId } from '../wire/call-id-forms.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { messagesOf, wireFailure, type FailureFacts } from '../wire/wire-failure.js';
import { streamWire } from '../wire/wire-stream.js';
import { keepsThoughts, toMessages, toSystem, toTools } from './anthropic-messages.js';
import { anthropicThinkingLevels, thinkingOf } from './anthropic-thinking.js';
import { readAnthropic } from './anthropic-stream.js';

/** `idleTimeoutMs` is 120,000 by default. */
export interface AnthropicOptions extends AnswerTimes {
  apiKey: string;
  /** Default Anthropic's own. */
  baseUrl?: string;
  /** Default `anthropic`. */
  id?: string;
  /** Tokens of one answer, which this wire wants to be told; default 8192. */
  maxOutputTokens?: number;
  clock?: Clock;
}

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;

/** The Messages API, streamed (MO-1, MO-2). Retries are the caller's. */
export class AnthropicProvider implements ModelProvider {
  readonly id: string;
  readonly account: string;
  readonly #client: Anthropic;
  readonly #options: AnthropicOptions;

  constructor(options: AnthropicOptions) {
    const { apiKey, baseUrl, id = 'anthropic' } = options;
    this.id = id;
    this.account = accountOf(id, baseUrl, apiKey);
    this.#options = options;
    this.#client = new Anthropic({
      apiKey,
      authToken: null,
      baseURL: baseUrl,
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: 'off',
    });
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return anthropicThinkingLevels(model);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { idleTimeoutMs = 120_000, totalTimeoutMs, clock = systemClock, apiKey } = this.#options;
    return streamWire(
      {
        provider: this.id,
        idleMs: idleTimeoutMs,
        totalMs: totalTimeoutMs,
        open: (until) => this.#open(request, until),
        read: readAnthropic,
        failureOf: (error) => wireFailure(this.id, factsOf(error), clock, (text) => text.replaceAll(apiKey, '[key]')),
      },
      signal,
    );
  }

  async #open(request: ModelRequest, signal: AbortSignal) {
    const { model, tools } = request;
    const messages = pairedCalls(request.messages, wordCallId);
    const system = toSystem(request);
    const reader = { provider: this.id, model };
    const limits = thinkingOf(request, this.#options.maxOutputTokens, keepsThoughts(messages, reader));
    const body = { model, ...limits, messages: toMessages(messages, reader), stream: true as const };
    const whole = { ...body, ...(system && { system }), ...(tools.length > 0 && { tools: toTools(tools) }) };
    const { data: pieces, response } = await this.#client.messages.create(whole, { signal }).withResponse();
    return { pieces, headers: response.headers };
  }
}

function factsOf(error: unknown): FailureFacts {
  const message = messagesOf(error);
  if (!(error instanceof APIError)) return { status: undefined, kinds: [], message, headers: undefined, isNetwork: true };
  const { status, type, headers } = error;
  return { status, kinds: [type], message, headers, isNetwork: error instanceof APIConnectionError };
}
