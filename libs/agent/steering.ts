import type { UserMessage } from '#contracts';
import { checkpoint } from '#kernel';
import type { TurnJournal } from './turn-journal.js';
import type { TurnProgress } from './turn-progress.js';
import type { TurnDeps, TurnInput } from './turn-types.js';
import { underSignal } from './under-signal.js';

/**
 * Messages that join the running turn (QU-2). A boundary is where nothing of an answer runs: before calls are launched, and
 * before the model is asked again. What joins there is journalled by the write that takes it, so that a later attempt finds
 * it behind the same answer; calls that had not begun by then never do.
 */
export class Steering {
  /** What the last step heard. */
  #wanted = false;
  #taken: readonly UserMessage[] = [];

  constructor(
    private readonly input: Pick<TurnInput, 'joined'>,
    private readonly deps: Pick<TurnDeps, 'join'>,
    private readonly journal: TurnJournal,
    private readonly signal: AbortSignal,
  ) {}

  heard(joins: boolean): void {
    this.#wanted = joins;
  }

  /** Whether messages have joined behind an answer; takes those that wait. */
  async joins(step: number): Promise<boolean> {
    const { journal, deps, signal } = this;
    if (this.#taken.length === 0 && journal.joinedBehind(step).length === 0 && this.#wanted && deps.join) {
      this.#wanted = false;
      this.#taken = await underSignal(signal, deps.join);
      checkpoint('turn.joined');
    }
    return this.#taken.length > 0 || journal.joinedBehind(step).length > 0;
  }

  /** The last boundary behind an answer: all its calls have their results, and what joined follows them. */
  async close(step: number, progress: TurnProgress): Promise<void> {
    if (!(await this.joins(step))) return;
    const before = this.journal.joinedBehind(step).flatMap((id) => this.input.joined?.get(id) ?? []);
    for (const message of [...before, ...this.#taken]) progress.add(message);
    this.#taken = [];
  }
}
