import { recordAll, type RunningTurn } from './running-turn.js';
import type { Finished } from './turn-journal.js';

/** Journals results as they come. Those that come while a step is being written go together in the next one. */
export class ResultWriter {
  #gathered: Finished[] = [];
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly turn: RunningTurn,
    private readonly stored: (finished: Finished) => void,
  ) {}

  /** Resolves when it is stored; rejects as `recordAll` does. */
  add(finished: Finished): Promise<void> {
    this.#gathered.push(finished);
    this.#next ??= this.#last.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<void> {
    const entries = this.#gathered;
    this.#gathered = [];
    this.#next = undefined;
    this.#last = recordAll(this.turn, entries, () => entries.forEach((entry) => this.stored(entry)));
    return this.#last;
  }
}
