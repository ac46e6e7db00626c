/** When each provider key was last used, by any runner (MO-3). It is told and heard in the look that every runner takes each second. */
export class KeyUses {
  /** By account, on the local clock. */
  readonly #at = new Map<string, number>();
  #untold = new Set<string>();

  note(account: string, now: number): void {
    this.#at.set(account, now);
    this.#untold.add(account);
  }

  /** On the local clock; -Infinity: not within the last day. */
  last(account: string): number {
    return this.#at.get(account) ?? Number.NEGATIVE_INFINITY;
  }

  /** What the others have not heard: account, ms since its use, and so on. Untold again when `telling` fails. */
  async tell<T>(now: number, telling: (uses: (string | number)[]) => Promise<T>): Promise<T> {
    const told = this.#untold;
    this.#untold = new Set();
    try {
      return await telling([...told].flatMap((account) => [account, Math.round(now - this.last(account))]));
    } catch (error) {
      this.#untold = new Set([...told, ...this.#untold]);
      throw error;
    }
  }

  /** @param uses of all runners, in the same form */
  hear(uses: readonly (string | number)[], now: number): void {
    for (let at = 0; at < uses.length; at += 2) {
      const account = String(uses[at]);
      this.#at.set(account, Math.max(this.last(account), now - Number(uses[at + 1])));
    }
  }
}
