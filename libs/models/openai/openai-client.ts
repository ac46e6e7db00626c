import OpenAI from 'openai';
import type { ModelEvent } from '#agent';
import { systemClock, type Clock } from '#kernel';
import { accountOf } from '../wire/account.js';
import { wireFailure } from '../wire/wire-failure.js';
import { streamWire } from '../wire/wire-stream.js';
import { factsOf } from './openai-failure.js';

export interface OpenAiOptions {
  apiKey: string;
  /** Any server that speaks this API; default OpenAI's own. */
  baseUrl?: string;
  /** Default `openai`. */
  id?: string;
  /** ms without a byte of the answer before it counts as hung; default 120,000. */
  idleTimeoutMs?: number;
  clock?: Clock;
}

/** The largest delay a timer takes: the SDK's own time-out never fires, the watchdog is the only one. */
const NEVER_MS = 2 ** 31 - 1;

/** One key at one server, for both of its APIs. Retries are the caller's. */
export class OpenAiClient {
  readonly id: string;
  readonly account: string;
  readonly #sdk: OpenAI;
  readonly #idleMs: number;
  readonly #clock: Clock;
  readonly #redact: (text: string) => string;

  constructor({ apiKey, baseUrl, id = 'openai', idleTimeoutMs = 120_000, clock = systemClock }: OpenAiOptions) {
    this.id = id;
    this.account = accountOf(id, baseUrl, apiKey);
    this.#sdk = new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0, timeout: NEVER_MS, logLevel: 'off' });
    this.#idleMs = idleTimeoutMs;
    this.#clock = clock;
    this.#redact = (text) => (apiKey ? text.replaceAll(apiKey, '[key]') : text);
  }

  stream<Piece>(
    open: (sdk: OpenAI, signal: AbortSignal) => { withResponse(): Promise<{ data: AsyncIterable<Piece>; response: Response }> },
    read: (pieces: AsyncIterable<Piece>) => AsyncIterable<ModelEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    return streamWire(
      {
        provider: this.id,
        idleMs: this.#idleMs,
        open: async (until) => {
          const { data: pieces, response } = await open(this.#sdk, until).withResponse();
          return { pieces, headers: response.headers };
        },
        read,
        failureOf: (error) => wireFailure(this.id, factsOf(error), this.#clock, this.#redact),
      },
      signal,
    );
  }
}
