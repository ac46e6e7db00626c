import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { ModelEvent, ModelRequest } from '#agent';
import { nineCharacterCallId } from '../wire/call-id-forms.js';
import type { Opened } from '../wire/wire-stream.js';
import { toMessages, toTools } from './chat-messages.js';
import { readChat } from './chat-stream.js';
import { OpenAiProvider, overHttp, type OpenAiOptions } from './openai-provider.js';
import { reasoningEffort } from './openai-thinking.js';

export interface ChatQuirks {
  /** Ids of calls are exactly nine of [A-Za-z0-9]. */
  nineCharacterCallIds?: true;
}

export interface ChatOptions extends OpenAiOptions {
  quirks?: ChatQuirks;
}

/** Chat Completions, streamed, from OpenAI or any compatible base URL (MO-1, MO-2). */
export class OpenAiChatProvider extends OpenAiProvider<ChatCompletionChunk> {
  readonly #callIdForm: ((id: string) => string) | undefined;

  constructor({ quirks, ...options }: ChatOptions) {
    super(options);
    this.#callIdForm = quirks?.nineCharacterCallIds && nineCharacterCallId;
  }

  protected open(request: ModelRequest, signal: AbortSignal): Promise<Opened<ChatCompletionChunk>> {
    const { model, tools, thinking } = request;
    const effort = reasoningEffort(model, thinking);
    const messages = toMessages(request, this.#callIdForm);
    const body = { model, messages, stream: true as const, stream_options: { include_usage: true } };
    const whole = {
      ...body,
      ...this.cacheField(request),
      ...(effort && { reasoning_effort: effort }),
      ...(tools.length > 0 && { tools: toTools(tools, this.isOpenAi) }),
    };
    return overHttp(this.sdk.chat.completions.create(whole, { signal }));
  }

  protected read(pieces: AsyncIterable<ChatCompletionChunk>): AsyncIterable<ModelEvent> {
    return readChat(pieces);
  }
}
