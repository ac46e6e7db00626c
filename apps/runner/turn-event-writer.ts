import type { TurnEventDraft } from '#agent';
import type { TurnEvent } from '#contracts';
import type { ClaimedSession } from '#sessions';

/** The first tokens go to the stream at once, those after them once in this time: an eye does not see it, and Redis gets a tenth of the commands. */
const GATHER_MS = 40;

/** Writes the events of one turn to the session's stream, in order, when somebody watches. Best effort: nothing waits for it. */
export class TurnEventWriter {
  private pending: TurnEvent[] = [];
  /** Runs while tokens are gathered. */
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: ClaimedSession,
    private readonly fence: string,
    private readonly watched: boolean,
  ) {}

  emit(draft: TurnEventDraft): void {
    if (!this.watched) return;
    this.add(draft);
    if (draft.type !== 'text.delta' || this.timer === undefined) this.write();
  }

  /** Everything emitted so far is in the stream, or lost for good. */
  async flush(): Promise<void> {
    this.write();
    clearTimeout(this.timer);
    await this.writing;
  }

  private add(draft: TurnEventDraft): void {
    const last = this.pending.at(-1);
    if (
      draft.type === 'text.delta' &&
      last?.type === 'text.delta' &&
      last.step === draft.step &&
      last.offset + last.text.length === draft.offset
    ) {
      last.text += draft.text;
    } else {
      this.pending.push({ ...draft, fence: this.fence } as TurnEvent);
    }
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.length === 0) return;
    if (this.pending.at(-1)?.type === 'text.delta') this.timer = setTimeout(() => this.write(), GATHER_MS);
    const events = this.pending;
    this.pending = [];
    const written = this.session.emit(events).catch(() => undefined);
    this.writing = Promise.all([this.writing, written]).then(() => undefined);
  }
}
