import type { ThinkingLevel } from '#contracts';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { nineCharacterCallId } from '../wire/call-id-forms.js';
import { toMessages, toTools } from './chat-messages.js';
import { readChat } from './chat-stream.js';
import { openAiThinkingLevels, reasoningEffort } from './openai-thinking.js';
import { OpenAiClient, overHttp, type OpenAiOptions } from './openai-client.js';

export interface ChatQuirks {
  /** Ids of calls are exactly nine of [A-Za-z0-9]. */
  nineCharacterCallIds?: true;
}

export interface ChatOptions extends OpenAiOptions {
  quirks?: ChatQuirks;
}

/** Chat Completions, streamed, from OpenAI or any compatible base URL (MO-1, MO-2). Retries are the caller's. */
export class OpenAiChatProvider implements ModelProvider {
  readonly #client: OpenAiClient;
  readonly #callIdForm: ((id: string) => string) | undefined;

  constructor({ quirks, ...options }: ChatOptions) {
    this.#callIdForm = quirks?.nineCharacterCallIds && nineCharacterCallId;
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
    const { model, tools, thinking } = request;
    const effort = reasoningEffort(model, thinking);
    const messages = toMessages(request, this.#callIdForm);
    const body = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    const whole = {
      ...body,
      ...this.#client.cacheField(request),
      ...(effort && { reasoning_effort: effort }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
    };
    return this.#client.stream((sdk, until) => overHttp(sdk.chat.completions.create(whole, { signal: until })), readChat, signal);
  }
}
