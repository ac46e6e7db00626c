import type { TurnEventDraft } from '#agent';
import type { PreviewOutcome, PreviewSign } from '#channels';
import type { JournalEntry, OutboxRow, Target } from '#contracts';
import type { Clock, TurnId } from '#kernel';

/** A text that is shorter is shown once the model pauses: most short answers are whole before. */
const FIRST_LENGTH = 200;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 3_000;
/** An update that is on its way may still change the message, so what takes its place waits for its answer; not longer than this. */
const SETTLE_MS = 1_000;

export interface PreviewParts {
  sign: PreviewSign;
  turn: TurnId;
  target: Target;
  /** Who is answered, as the platform knows them. */
  recipient: string;
  clock: Clock;
  /** Whether the platform has room and this process the turn, asked before each update. Throws LeaseLostError. */
  mayShow: () => Promise<boolean>;
  /** Journals the message, so that the next attempt goes on with it. Throws LeaseLostError. */
  keep: (message: string) => Promise<unknown>;
}

/**
 * Shows people the text of a turn while it is written (OUT-3): the next message of the turn takes the preview's place.
 * Best effort: an update that fails is left out, one request is on its way at most, and what is written meanwhile joins the next.
 */
export class TurnPreview {
  private text = '';
  /** What the last update showed. */
  private last = '';
  private shown: { message: string; text?: string } | undefined;
  /** Messages that nothing takes the place of. */
  private readonly left: string[] = [];
  private timer: { of: NodeJS.Timeout; isDue: boolean } | undefined;
  private flight: { ended: Promise<void>; abort: AbortController } | undefined;
  private nextAt = 0;
  private isOver = false;
  private isClosed = false;
  private hasSent: boolean;
  /** Answers up to this step are in the journal: an attempt that takes them from there does not show them again. */
  private readonly answered: number;

  /** @param sentAtOnce whether a send of the journal left before the end of the turn */
  constructor(
    private readonly parts: PreviewParts,
    journal: readonly JournalEntry[],
    sentAtOnce: (entry: JournalEntry) => boolean,
  ) {
    this.answered = Math.max(0, ...journal.map((entry) => (entry.k === 'answer' ? entry.step : 0)));
    this.hasSent = journal.some(sentAtOnce);
    const kept = journal.findLast((entry) => entry.k === 'preview' || sentAtOnce(entry));
    if (kept?.k === 'preview') this.shown = { message: kept.message };
  }

  emit(event: TurnEventDraft): void {
    if (event.type !== 'text.delta' || event.step <= this.answered) return;
    const { offset, text } = event;
    this.text = offset === this.text.length ? this.text + text : this.text.slice(0, offset) + text;
    this.plan();
  }

  /** A row is about to leave. @returns the message whose place it takes */
  async givePlace(row: OutboxRow): Promise<string | undefined> {
    if (row.action) return undefined;
    await this.settle();
    const { shown } = this;
    this.shown = undefined;
    this.last = '';
    this.isOver = false;
    this.hasSent = true;
    if (!shown || this.fits(row)) return shown?.message;
    this.left.push(shown.message);
    return undefined;
  }

  /** Nothing more is shown. @returns the rows with the preview's place taken by the first, and the messages to take away */
  async end(rows: readonly OutboxRow[]): Promise<{ rows: OutboxRow[]; left: readonly string[] }> {
    this.isClosed = true;
    await this.settle();
    const [first, ...others] = rows;
    if (!this.shown) return { rows: [...rows], left: this.left };
    const { message } = this.shown;
    return first && this.fits(first)
      ? { rows: [{ ...first, replaces: message }, ...others], left: this.left }
      : { rows: [...rows], left: [...this.left, message] };
  }

  /** The attempt is over; another may go on. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer?.of);
    this.flight?.abort.abort();
  }

  /** An edit answers whom the message answered before. */
  private fits({ action, target }: OutboxRow): boolean {
    return !action && target.replyTo === this.parts.target.replyTo;
  }

  private plan(): void {
    if (this.isClosed || this.isOver || this.flight || this.timer?.isDue) return;
    if (this.text.trim() === '' || this.text === this.last) return;
    clearTimeout(this.timer?.of);
    const isDue = this.last !== '' || this.text.length >= FIRST_LENGTH;
    const ms = isDue ? Math.max(0, this.nextAt - this.parts.clock.monotonic()) : PAUSE_MS;
    this.timer = { of: setTimeout(() => this.update(), ms), isDue };
  }

  private update(): void {
    this.timer = undefined;
    const abort = new AbortController();
    const ended = this.show(this.text, abort.signal)
      .catch(() => this.close())
      .finally(() => {
        this.flight = undefined;
        this.plan();
      });
    this.flight = { ended, abort };
  }

  private async show(text: string, signal: AbortSignal): Promise<void> {
    const { sign, turn: id, target, recipient, clock, mayShow } = this.parts;
    const { shown, hasSent } = this;
    const may = (await mayShow()) && !signal.aborted;
    const outcome: PreviewOutcome = may
      ? await sign.show(target, { id, text, recipient, hasSent, shown }, TIMEOUT_MS, signal)
      : { kind: 'later' };
    const pauseMs = outcome.kind === 'later' ? (outcome.ms ?? 0) : 0;
    this.nextAt = clock.monotonic() + Math.max(sign.everyMs(target), pauseMs);
    if (outcome.kind === 'shown') this.showed(text, outcome.message);
    if (outcome.kind === 'over' || outcome.kind === 'unknown') this.isOver = true;
    // An edit that may still come must meet no message that matters.
    if (outcome.kind === 'unknown' && shown) {
      this.left.push(shown.message);
      this.shown = undefined;
    }
  }

  private showed(text: string, message: string | undefined): void {
    this.last = text;
    if (message === undefined) return;
    if (this.shown?.message !== message) void this.parts.keep(message).catch(() => this.close());
    this.shown = { message, text };
  }

  private async settle(): Promise<void> {
    clearTimeout(this.timer?.of);
    this.timer = undefined;
    this.text = '';
    const { flight } = this;
    if (!flight) return;
    const impatience = setTimeout(() => flight.abort.abort(), SETTLE_MS);
    await flight.ended;
    clearTimeout(impatience);
  }
}
