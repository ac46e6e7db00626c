import OpenAI from 'openai';
import type { ModelEvent, ModelRequest } from '#agent';
import { systemClock, type Clock } from '#kernel';
import { accountOf } from '../wire/account.js';
import type { AnswerTimes } from '../wire/answer-watchdog.js';
import { wireFailure } from '../wire/wire-failure.js';
import { streamWire, type Opened } from '../wire/wire-stream.js';
import { factsOf } from './openai-failure.js';

/** `idleTimeoutMs` is 120,000 by default. */
export interface OpenAiOptions extends AnswerTimes {
  apiKey: string;
  /** Any server that speaks this API; default OpenAI's own. */
  baseUrl?: string;
  /** Default `openai`. */
  id?: string;
  clock?: Clock;
}

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;

/** One key at one server, for both of its APIs. Retries are the caller's. */
export class OpenAiClient {
  readonly id: string;
  readonly account: string;
  readonly #sdk: OpenAI;
  readonly #isOpenAi: boolean;
  readonly #idleMs: number;
  readonly #totalMs: number | undefined;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;

  constructor(options: OpenAiOptions) {
    const { apiKey, baseUrl, id = 'openai', idleTimeoutMs = 120_000, totalTimeoutMs, clock = systemClock } = options;
    this.id = id;
    this.account = accountOf(id, baseUrl, apiKey);
    this.#isOpenAi = baseUrl === undefined;
    this.#sdk = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, timeout: NEVER_MS, logLevel: 'off' });
    this.#idleMs = idleTimeoutMs;
    this.#totalMs = totalTimeoutMs;
    this.#clock = clock;
    this.#redact = (text) => (apiKey ? text.replaceAll(apiKey, '[key]') : text);
  }

  /** Only for OpenAI itself: a compatible server may refuse a request for a field that it does not know. */
  cacheField({ cacheKey }: ModelRequest): { prompt_cache_key?: string } {
    return this.#isOpenAi && cacheKey ? { prompt_cache_key: cacheKey } : {};
  }

  stream<Piece>(
    open: (sdk: OpenAI, signal: AbortSignal) => Promise<Opened<Piece>>,
    read: (pieces: AsyncIterable<Piece>) => AsyncIterable<ModelEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    return streamWire(
      {
        provider: this.id,
        idleMs: this.#idleMs,
        totalMs: this.#totalMs,
        open: (until) => open(this.#sdk, until),
        read,
        failureOf: (error) => wireFailure(this.id, factsOf(error), this.#clock, this.#redact),
      },
      signal,
    );
  }
}

/** What was asked over HTTP. */
export async function overHttp<Piece>(asked: {
  withResponse(): Promise<{ data: AsyncIterable<Piece>; response: Response }>;
}): Promise<Opened<Piece>> {
  const { data: pieces, response } = await asked.withResponse();
  return { pieces, headers: response.headers };
}
