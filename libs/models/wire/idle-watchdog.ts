/** Fires its signal when nothing was heard for `idleMs`. Whoever makes one disposes it. */
export class IdleWatchdog implements Disposable {
  readonly #silence = new AbortController();
  #timer: NodeJS.Timeout;

  constructor(private readonly idleMs: number) {
    this.#timer = this.#arm();
  }

  get signal(): AbortSignal {
    return this.#silence.signal;
  }

  /** Passes `pieces` on; each one is heard. */
  async *hearing<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of pieces) {
      this.#timer.refresh();
      yield piece;
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #arm(): NodeJS.Timeout {
    return setTimeout(() => this.#silence.abort(), this.idleMs);
  }
}
