/** A signal that fires with another one, or when its time is over. Dispose it. */
export class WaitBound {
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;
  private shortened = false;

  constructor(ms: number, other: AbortSignal) {
    this.signal = AbortSignal.any([this.controller.signal, other]);
    this.timer = this.startTimer(ms);
  }

  /** From now on at most `ms`; only the first call counts. */
  shorten(ms: number): void {
    if (this.shortened) return;
    this.shortened = true;
    clearTimeout(this.timer);
    this.timer = this.startTimer(ms);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.timer);
  }

  private startTimer(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.controller.abort(), ms);
  }
}
