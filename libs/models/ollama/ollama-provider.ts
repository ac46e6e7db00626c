import { Ollama } from 'ollama';
import { z } from 'zod';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { systemClock, type Clock } from '#kernel';
import { accountOf } from '../wire/account.js';
import type { AnswerTimes } from '../wire/answer-watchdog.js';
import { messagesOf, wireFailure, type FailureFacts } from '../wire/wire-failure.js';
import { streamWire } from '../wire/wire-stream.js';
import { toMessages, toTools } from './ollama-messages.js';
import { ollamaThinkingLevels, thinkOf } from './ollama-thinking.js';
import { readOllama } from './ollama-stream.js';

/** `idleTimeoutMs` is 300,000 by default: a local model may have to be loaded first. */
export interface OllamaOptions extends AnswerTimes {
  /** Default `http://127.0.0.1:11434`. */
  baseUrl?: string;
  /** For a server behind a proxy that asks for one, sent as a bearer token. */
  apiKey?: string;
  /** Default `ollama`. */
  id?: string;
  clock?: Clock;
}

const LOCAL = 'http://127.0.0.1:11434';

/** Ollama's own `/api/chat`, streamed (MO-1, MO-2). Retries are the caller's. */
export class OllamaProvider implements ModelProvider {
  readonly id: string;
  readonly account: string;
  readonly #options: OllamaOptions;

  constructor(options: OllamaOptions) {
    this.id = options.id ?? 'ollama';
    this.account = accountOf(this.id, options.baseUrl, options.apiKey ?? '');
    this.#options = options;
  }

  thinkingLevels(model: string): readonly ThinkingLevel[] {
    return ollamaThinkingLevels(model);
  }

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { idleTimeoutMs = 300_000, totalTimeoutMs, clock = systemClock, apiKey } = this.#options;
    const answered: { headers?: Headers } = {};
    const redact = (text: string): string => (apiKey ? text.replaceAll(apiKey, '[key]') : text);
    return streamWire(
      {
        provider: this.id,
        idleMs: idleTimeoutMs,
        totalMs: totalTimeoutMs,
        open: (until) => this.#open(request, until, answered),
        read: readOllama,
        failureOf: (error) => wireFailure(this.id, factsOf(error, answered.headers), clock, redact),
      },
      signal,
    );
  }

  /** The SDK takes no signal and keeps the headers to itself, so each request brings its own fetch. */
  async #open(request: ModelRequest, signal: AbortSignal, answered: { headers?: Headers }) {
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
}

/** The SDK does not export its ResponseError. */
const responseErrorSchema = z.object({ status_code: z.number() });

function factsOf(error: unknown, headers: Headers | undefined): FailureFacts {
  const message = messagesOf(error);
  const refused = responseErrorSchema.safeParse(error).data;
  if (!refused) return { status: undefined, kinds: [], message, headers: undefined, isNetwork: true };
  return { status: refused.status_code, kinds: [], message, headers, isNetwork: false };
}
