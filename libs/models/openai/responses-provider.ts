import type { ThinkingLevel } from '#contracts';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { nearestLevel } from '../thinking-levels.js';
import { openAiThinkingLevels } from './openai-thinking.js';
import { OpenAiClient, type OpenAiOptions } from './openai-client.js';
import { toInput, toTools } from './responses-messages.js';
import { readResponses } from './responses-stream.js';

/** The Responses API, streamed, with nothing kept at the provider (MO-1, MO-2). Retries are the caller's. */
export class OpenAiResponsesProvider implements ModelProvider {
  readonly #client: OpenAiClient;

  constructor(options: OpenAiOptions) {
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

  stream({ model, system, messages, tools, thinking }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const body = { model, input: toInput(messages), stream: true as const, store: false };
    const effort = thinking && nearestLevel(this.thinkingLevels(model), thinking);
    const whole = {
      ...body,
      ...(effort && effort !== 'off' && { reasoning: { effort } }),
      ...(system && { instructions: system }),
      ...(tools.length > 0 && { tools: toTools(tools) }),
    };
    return this.#client.stream((sdk, until) => sdk.responses.create(whole, { signal: until }), readResponses, signal);
  }
}
