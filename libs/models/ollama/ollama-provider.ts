import { Ollama, type ChatResponse } from 'ollama';
import { z } from 'zod';
import type { ModelEvent, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { messagesOf, type FailureFacts } from '../wire/wire-failure.js';
import { WireProvider, type Answered, type WireOptions } from '../wire/wire-provider.js';
import type { Opened } from '../wire/wire-stream.js';
import { toMessages, toTools } from './ollama-messages.js';
import { readOllama } from './ollama-stream.js';
import { ollamaThinkingLevels, thinkOf } from './ollama-thinking.js';

const LOCAL = 'http://127.0.0.1:11434';
/** A local model may have to be loaded first. */
const LOCAL_IDLE_MS = 300_000;

/** Ollama's own `/api/chat`, streamed (MO-1, MO-2); a key is for a server behind a proxy that asks for one, sent as a bearer token. */
export class OllamaProvider extends WireProvider<ChatResponse> {
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    super(options, { id: 'ollama', idleTimeoutMs: LOCAL_IDLE_MS });
    this.#options = options;
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return ollamaThinkingLevels(model);
  }

  /** The SDK takes no signal and keeps the headers to itself, so each request brings its own fetch. */
  protected async open(request: ModelRequest, signal: AbortSignal, answered: Answered): Promise<Opened<ChatResponse>> {
    const { baseUrl = LOCAL, apiKey } = this.#options;
    const watched: typeof fetch = async (url, init) => {
      const response = await fetch(url, { ...init, signal });
      answered.headers = response.headers;
      return response;
    };
    const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
    const client = new Ollama({ host: baseUrl, fetch: watched, headers });
    const { model, tools, thinking } = request;
    const think = thinkOf(model, thinking);
    const body = { model, messages: toMessages(request), stream: true as const, ...(think !== undefined && { think }) };
    const pieces = await client.chat({ ...body, ...(tools.length > 0 && { tools: toTools(tools) }) });
    return { pieces, headers: answered.headers };
  }

  protected read(pieces: AsyncIterable<ChatResponse>): AsyncIterable<ModelEvent> {
    return readOllama(pieces);
  }

  protected factsOf(error: unknown, headers: Headers | undefined): FailureFacts {
    return factsOf(error, headers);
  }
}

/** The SDK does not export its ResponseError. */
const responseErrorSchema = z.object({ status_code: z.number() });

function factsOf(error: unknown, headers: Headers | undefined): FailureFacts {
  const message = messagesOf(error);
  const refused = responseErrorSchema.safeParse(error).data;
  if (!refused) return { status: undefined, kinds: [], message, headers: undefined, isNetwork: true };
  return { status: refused.status_code, kinds: [], message, headers, isNetwork: false };
}
