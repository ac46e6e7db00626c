import type { JournalEntry } from '#contracts';

export type Answer = Extract<JournalEntry, { k: 'answer' }>;
export type Finished = Extract<JournalEntry, { k: 'finished' }>;

/** What earlier attempts of a turn already did: it never happens again (TU-1). */
export class TurnJournal {
  readonly #answers = new Map<number, Answer>();
  readonly #started = new Set<string>();
  readonly #finished = new Map<string, Finished>();

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) {
      if (entry.k === 'answer') this.#answers.set(entry.step, entry);
      if (entry.k === 'started') this.#started.add(entry.call);
      if (entry.k === 'finished') this.#finished.set(entry.call, entry);
    }
  }

  answer(step: number): Answer | undefined {
    return this.#answers.get(step);
  }

  wasStarted(call: string): boolean {
    return this.#started.has(call);
  }

  finished(call: string): Finished | undefined {
    return this.#finished.get(call);
  }
}
