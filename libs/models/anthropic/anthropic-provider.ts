import Anthropic, { APIConnectionError, APIError } from '@anthropic-ai/sdk';
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type { ModelEvent, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { wordCallId } from '../wire/call-id-forms.js';
import { pairedCalls } from '../wire/paired-calls.js';
import { keepsThoughts } from '../wire/thought-reader.js';
import { messagesOf, type FailureFacts } from '../wire/wire-failure.js';
import { WireProvider, type WireOptions } from '../wire/wire-provider.js';
import type { Opened } from '../wire/wire-stream.js';
import { toMessages, toSystem, toTools } from './anthropic-messages.js';
import { readAnthropic } from './anthropic-stream.js';
import { anthropicThinkingLevels, thinkingOf } from './anthropic-thinking.js';

export interface AnthropicOptions extends WireOptions {
  apiKey: string;
  /** Tokens of one answer, which this wire wants to be told; default 8192. */
  maxOutputTokens?: number;
}

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;

/** The Messages API, streamed (MO-1, MO-2). */
export class AnthropicProvider extends WireProvider<RawMessageStreamEvent> {
  readonly #client: Anthropic;
  readonly #maxOutputTokens: number | undefined;

  constructor({ maxOutputTokens, ...options }: AnthropicOptions) {
    super(options, { id: 'anthropic' });
    const { apiKey, baseUrl } = options;
    this.#maxOutputTokens = maxOutputTokens;
    this.#client = new Anthropic({
      apiKey,
      authToken: null,
      baseURL: baseUrl,
      maxRetries: 0,
      timeout: NEVER_MS,
      logLevel: 'off',
      // A model call has a span already; where in a trace it is made is nobody's business there.
      openTelemetry: { traces: { enabled: false } },
    });
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return anthropicThinkingLevels(model);
  }

  protected async open(request: ModelRequest, signal: AbortSignal): Promise<Opened<RawMessageStreamEvent>> {
    const { model, tools } = request;
    const messages = pairedCalls(request.messages, wordCallId);
    const system = toSystem(request);
    const reader = { provider: this.id, model };
    const limits = thinkingOf(request, this.#maxOutputTokens, keepsThoughts(messages, reader));
    const body = { model, ...limits, messages: toMessages({ ...request, messages }, reader), stream: true as const };
    const whole = { ...body, ...(system && { system }), ...(tools.length > 0 && { tools: toTools(tools) }) };
    const { data: pieces, response } = await this.#client.messages.create(whole, { signal }).withResponse();
    return { pieces, headers: response.headers };
  }

  protected read(pieces: AsyncIterable<RawMessageStreamEvent>): AsyncIterable<ModelEvent> {
    return readAnthropic(pieces);
  }

  protected factsOf(error: unknown): FailureFacts {
    const message = messagesOf(error);
    if (!(error instanceof APIError)) return { status: undefined, kinds: [], message, headers: undefined, isNetwork: true };
    const { status, type, headers } = error;
    return { status, kinds: [type], message, headers, isNetwork: error instanceof APIConnectionError };
  }
}
