import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { systemClock, withoutQuotes, type Clock } from '#kernel';
import { accountOf } from './account.js';
import type { AnswerTimes } from './answer-watchdog.js';
import { wireFailure, type FailureFacts } from './wire-failure.js';
import { streamWire, type Opened } from './wire-stream.js';

/** One key at one server. */
export interface WireOptions extends AnswerTimes {
  id?: string;
  /** Default the provider's own. */
  baseUrl?: string;
  apiKey?: string;
  clock?: Clock;
}

/** The headers of an answer, where the SDK keeps them to itself: `open` puts them here as soon as they are there, also of a refusal. */
export interface Answered {
  headers?: Headers;
}

const CLOUD_IDLE_MS = 120_000;

/** What all wires share: one key at one server, answers that are watched, failures that are told apart. Retries are the caller's. */
export abstract class WireProvider<Piece> implements ModelProvider {
  readonly id: string;
  readonly account: string;
  readonly #apiKey: string;
  readonly #times: { idleMs: number; totalMs: number | undefined };
  readonly #clock: Clock;

  /** @param preset `id` and `idleTimeoutMs` (else 120,000) of who says none */
  constructor(
    { id, baseUrl, apiKey = '', idleTimeoutMs, totalTimeoutMs, clock = systemClock }: WireOptions,
    preset: { id: string; idleTimeoutMs?: number },
  ) {
    this.id = id ?? preset.id;
    this.account = accountOf(this.id, baseUrl, apiKey);
    this.#apiKey = apiKey;
    this.#times = { idleMs: idleTimeoutMs ?? preset.idleTimeoutMs ?? CLOUD_IDLE_MS, totalMs: totalTimeoutMs };
    this.#clock = clock;
  }

  abstract thinkingLevels(model: string): readonly ThinkingLevel[];

  /** See Wire.open. */
  protected abstract open(request: ModelRequest, signal: AbortSignal, answered: Answered): Promise<Opened<Piece>>;
  /** See Wire.read. */
  protected abstract read(pieces: AsyncIterable<Piece>): AsyncIterable<ModelEvent>;
  /** @param headers of the answer, where `open` has told them */
  protected abstract factsOf(error: unknown, headers: Headers | undefined): FailureFacts;

  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const answered: Answered = {};
    return streamWire(
      {
        provider: this.id,
        ...this.#times,
        open: (until) => this.open(request, until, answered),
        read: (pieces) => this.read(pieces),
        failureOf: (error) =>
          wireFailure(this.id, this.factsOf(error, answered.headers), this.#clock, (text) =>
            withoutQuotes(this.#withoutKey(text), textsOf(request)),
          ),
      },
      signal,
    );
  }

  #withoutKey(text: string): string {
    return this.#apiKey ? text.replaceAll(this.#apiKey, '[key]') : text;
  }
}

/** What people, tools and models have said in it. */
function textsOf({ system, messages }: ModelRequest): string[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  return [system, ...messages.map(({ text }) => text), ...calls.map((call) => call.arguments)];
}
