import type { JournalEntry, ToolCall } from '#contracts';

export type Answer = Extract<JournalEntry, { k: 'answer' }>;
export type Started = Extract<JournalEntry, { k: 'started' }>;
export type Finished = Extract<JournalEntry, { k: 'finished' }>;

/** What this and earlier attempts of a turn did: it never happens again (TU-1). */
export class TurnJournal {
  readonly #answers = new Map<number, Answer>();
  readonly #started = new Map<string, Started>();
  readonly #finished = new Map<string, Finished>();
  readonly #sends = new Set<string>();

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) {
      if (entry.k === 'answer') this.#answers.set(entry.step, entry);
      if (entry.k === 'started') this.#started.set(entry.call, entry);
      if (entry.k === 'finished') this.#finished.set(entry.call, entry);
      if (entry.k === 'send') this.#sends.add(entry.key);
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

  wasSent(key: string): boolean {
    return this.#sends.has(key);
  }

  /** What a call runs with: the model's own arguments, unless a hook changed them. */
  argumentsOf(call: ToolCall): string {
    return this.#started.get(call.id)?.arguments ?? call.arguments;
  }

  remember(started: Started): void {
    this.#started.set(started.call, started);
  }
}
