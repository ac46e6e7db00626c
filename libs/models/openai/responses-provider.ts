import type OpenAI from 'openai';
import type { ThinkingLevel } from '#contracts';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { Opened } from '../wire/wire-stream.js';
import { openAiThinkingLevels, reasoningEffort } from './openai-thinking.js';
import { OpenAiClient, overHttp, type OpenAiOptions } from './openai-client.js';
import { toInput, toTools } from './responses-messages.js';
import { overSocket } from './responses-socket.js';
import { readResponses, type ResponsesEvent } from './responses-stream.js';

export interface ResponsesOptions extends OpenAiOptions {
  /** Default `http`. */
  transport?: 'http' | 'websocket' | undefined;
}

/** The Responses API, streamed, with nothing kept at the provider (MO-1, MO-2). Retries are the caller's. */
export class OpenAiResponsesProvider implements ModelProvider {
  readonly #client: OpenAiClient;
  readonly #overSocket: boolean;

  constructor({ transport = 'http', ...options }: ResponsesOptions) {
    this.#overSocket = transport === 'websocket';
    this.#client = new OpenAiClient(options);
  }

  get id(): string {
    return this.#client.id;
  }

  get account(): string {
    return this.#client.account;
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return openAiThinkingLevels(model);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { model, system, messages, tools, thinking } = request;
    const body = { model, input: toInput(messages), stream: true as const, store: false };
    const effort = reasoningEffort(model, thinking);
    const whole = {
      ...body,
      ...this.#client.cacheField(request),
      ...(effort && { reasoning: { effort } }),
      ...(system && { instructions: system }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
    };
    const open = (sdk: OpenAI, until: AbortSignal): Promise<Opened<ResponsesEvent>> =>
      this.#overSocket
        ? Promise.resolve({ pieces: overSocket(sdk, whole, until), headers: undefined })
        : overHttp(sdk.responses.create(whole, { signal: until }));
    return this.#client.stream(open, readResponses, signal);
  }
}
