import type { JournalEntry, Park, ToolCall } from '#contracts';

export type Answer = Extract<JournalEntry, { k: 'answer' }>;
export type Started = Extract<JournalEntry, { k: 'started' }>;
type Parked = Extract<JournalEntry, { k: 'parked' }>;
export type Resolved = Extract<JournalEntry, { k: 'resolved' }>;
export type Finished = Extract<JournalEntry, { k: 'finished' }>;

/** What this and earlier attempts of a turn did: it never happens again (TU-1). */
export class TurnJournal {
  readonly #answers = new Map<number, Answer>();
  readonly #started = new Map<string, Started>();
  readonly #finished = new Map<string, Finished>();
  readonly #parked = new Map<string, Parked>();
  readonly #resolved = new Map<string, Resolved>();
  /** By the answer they came behind. */
  readonly #joined = new Map<number, string[]>();
  readonly #sends = new Set<string>();

  constructor(entries: readonly JournalEntry[]) {
    let step = 0;
    for (const entry of entries) {
      if (entry.k === 'answer') this.#answers.set((step = entry.step), entry);
      if (entry.k === 'joined') this.#joined.set(step, [...this.joinedBehind(step), ...entry.ids]);
      if (entry.k === 'started') this.#started.set(entry.call, entry);
      if (entry.k === 'finished') this.#finished.set(entry.call, entry);
      if (entry.k === 'parked') this.#park(entry);
      if (entry.k === 'resolved') this.#resolved.set(`${entry.kind} ${entry.call}`, entry);
      if (entry.k === 'send') this.#sends.add(entry.key);
    }
  }

  answer(step: number): Answer | undefined {
    return this.#answers.get(step);
  }

  /** Ids of the messages that joined behind an answer and before the next one. */
  joinedBehind(step: number): readonly string[] {
    return this.#joined.get(step) ?? [];
  }

  wasStarted(call: string): boolean {
    return this.#started.has(call);
  }

  finished(call: string): Finished | undefined {
    return this.#finished.get(call);
  }

  /** Whether anything is known of a call: it was launched, or waited for a person. */
  knows(call: string): boolean {
    return this.#started.has(call) || this.#finished.has(call) || this.#parked.has(call);
  }

  /** How the wait of a call ended, if it waited. */
  resolved(call: string, kind: Park['kind']): Resolved | undefined {
    return this.#resolved.get(`${kind} ${call}`);
  }

  /** What a call asked last, if it goes on with the answer. */
  asked(call: string): { resume: string; round: number } | undefined {
    const { resume, round = 0 } = this.#parked.get(call) ?? {};
    return resume === undefined ? undefined : { resume, round };
  }

  wasSent(key: string): boolean {
    return this.#sends.has(key);
  }

  /** What a call runs with: the model's own arguments, unless a hook changed them. Those that were approved are what runs. */
  argumentsOf(call: ToolCall): string {
    return this.#started.get(call.id)?.arguments ?? this.#parked.get(call.id)?.arguments ?? call.arguments;
  }

  /** A call that asked has run to its end and begins anew with the answer: until then nothing is in doubt. */
  #park(parked: Parked): void {
    this.#parked.set(parked.call, parked);
    if (parked.resume !== undefined) this.#started.delete(parked.call);
  }

  remember(started: Started): void {
    this.#started.set(started.call, started);
  }
}
