const SECOND_MS = 1000;

/** Reads something again each second, so that nobody has to ask for it. What cannot be read stays as it was. */
export class EverySecond {
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly read: () => Promise<void>) {}

  /** Rejects when the first reading fails. */
  async start(): Promise<void> {
    await this.read();
    this.#timer = setInterval(() => void this.read().catch(() => undefined), SECOND_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
