import type { ModelEvent, ModelRequest } from '#agent';
import type { Opened } from '../wire/wire-stream.js';
import { OpenAiProvider, overHttp, type OpenAiOptions } from './openai-provider.js';
import { reasoningEffort, reasons } from './openai-thinking.js';
import { toInput, toTools } from './responses-messages.js';
import { overSocket } from './responses-socket.js';
import { readResponses, type ResponsesEvent } from './responses-stream.js';

export interface ResponsesOptions extends OpenAiOptions {
  /** Default `http`. */
  transport?: 'http' | 'websocket' | undefined;
}

/** The Responses API, streamed, with nothing kept at the provider (MO-1, MO-2). */
export class OpenAiResponsesProvider extends OpenAiProvider<ResponsesEvent> {
  readonly #overSocket: boolean;

  constructor({ transport = 'http', ...options }: ResponsesOptions) {
    super(options);
    this.#overSocket = transport === 'websocket';
  }

  protected open(request: ModelRequest, signal: AbortSignal): Promise<Opened<ResponsesEvent>> {
    const { model, system, tools, thinking } = request;
    const input = toInput(request, { provider: this.id, model, account: this.account });
    const body = { model, input, stream: true as const, store: false };
    const effort = reasoningEffort(model, thinking);
    const whole = {
      ...body,
      ...this.cacheField(request),
      ...(effort && { reasoning: { effort } }),
      // Nothing is kept there: what it thought before a call comes back to it with the call's result.
      ...(reasons(model) && { include: ['reasoning.encrypted_content' as const] }),
      ...(system && { instructions: system }),
      ...(tools.length > 0 && { tools: toTools(tools, this.isOpenAi) }),
    };
    return this.#overSocket
      ? Promise.resolve({ pieces: overSocket(this.sdk, whole, signal), headers: undefined })
      : overHttp(this.sdk.responses.create(whole, { signal }));
  }

  protected read(pieces: AsyncIterable<ResponsesEvent>): AsyncIterable<ModelEvent> {
    return readResponses(pieces, this.account);
  }
}
