import { TransientError } from '#kernel';

/** How long one answer may take. */
export interface AnswerTimes {
  /** ms without a byte of the answer before it counts as hung. */
  idleTimeoutMs?: number | undefined;
  /** ms for the whole of it, from the request on; default: as long as it is not silent. */
  totalTimeoutMs?: number | undefined;
}

/** A connection that is not closed behind a whole answer holds up the turn for no longer. */
const TAIL_MS = 1000;

/** Fires its signal when an answer takes too long; the reason says what for. Whoever makes one disposes it. */
export class AnswerWatchdog implements Disposable {
  readonly #late = new AbortController();
  readonly #total: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout;

  constructor(
    private readonly provider: string,
    idleMs: number,
    totalMs: number | undefined,
  ) {
    this.#silence = this.#fires(idleMs, `sent nothing for ${idleMs / 1000} s`);
    if (totalMs !== undefined) this.#total = this.#fires(totalMs, `was not done within ${totalMs / 1000} s`);
  }

  get signal(): AbortSignal {
    return this.#late.signal;
  }

  /** Passes `pieces` on; each one is heard. */
  async *hearing<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of pieces) {
      this.#silence.refresh();
      yield piece;
    }
  }

  /** The answer is whole: what is left is the end of the connection. */
  whole(): void {
    clearTimeout(this.#silence);
    this.#silence = this.#fires(TAIL_MS, 'kept the connection open behind its answer');
  }

  /** Not every SDK closes what it has stopped reading: the signal fires here too. */
  [Symbol.dispose](): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
    this.#late.abort();
  }

  #fires(ms: number, why: string): NodeJS.Timeout {
    return setTimeout(() => this.#late.abort(new TransientError('timeout', `${this.provider} ${why}`)), ms);
  }
}
