import type { Button, DeliveryMode, Envelope, JournalEntry, OutboundMedia, OutboxRow, SendExtras, Target } from '#contracts';
import type { ChannelCapabilities } from '#channels';
import { outboxRowId, type TurnId } from '#kernel';
import { currentTrace } from '#telemetry';

export type Send = Extract<JournalEntry, { k: 'send' }>;

/** The agent waits for their receipts; the rest leaves with the commit. */
const AWAITED: ReadonlySet<DeliveryMode> = new Set(['immediate', 'narration']);

interface RowContent extends Pick<SendExtras, 'action' | 'replyTo'> {
  n: number;
  mode: DeliveryMode;
  text: string;
  fellBack: boolean;
  at: number;
  media?: readonly OutboundMedia[] | undefined;
  buttons?: readonly Button[] | undefined;
}

export interface Withdrawn {
  message: string;
  /** Default: where the turn's messages came from. */
  target?: Target;
}

/** Makes the outbox rows of one turn; all go where its messages came from. */
export class TurnRows {
  private readonly target: Target;

  constructor(
    private readonly turn: TurnId,
    private readonly envelope: Envelope,
    private readonly notify: string,
  ) {
    this.target = envelope.target;
  }

  /** `at` 0 is filled in with Redis time where the row is stored. */
  row({ n, mode, text, fellBack, at, action, replyTo, media = [], buttons = [] }: RowContent): OutboxRow {
    const { tenant, session } = this.envelope;
    const trace = currentTrace();
    return {
      v: 1,
      id: outboxRowId(this.turn, n),
      tenant,
      session,
      turn: this.turn,
      n,
      mode,
      fellBack,
      target: replyTo === undefined ? this.target : { ...this.target, replyTo },
      ...(action && { action }),
      text,
      ...(media.length > 0 && { media: [...media] }),
      ...(buttons.length > 0 && { buttons: [...buttons] }),
      at,
      ...(AWAITED.has(mode) ? { notify: this.notify } : {}),
      ...(trace && { trace }),
    };
  }

  /**
   * What leaves with the commit: batched sends in the order they were made, then the answer. A channel that can takes them
   * as one message, within its limit (OUT-2).
   */
  last(
    batched: readonly Send[],
    final: { mode: 'final' | 'notice'; text: string; buttons?: readonly Button[] } | undefined,
    nextN: number,
    channel: ChannelCapabilities,
  ): OutboxRow[] {
    const rows = batched.map((send) => this.row(send));
    if (final && final.text !== '') rows.push(this.row({ n: nextN, ...final, fellBack: false, at: 0 }));
    return channel.batch ? merged(rows, channel.maxTextLength) : rows;
  }

  /** Take away what no message has taken the place of. */
  withdrawals(withdrawn: readonly Withdrawn[], nextN: number): OutboxRow[] {
    return withdrawn.map(({ target = this.target, message }, index) => ({
      ...this.row({ n: nextN + index, mode: 'notice', text: '', fellBack: false, at: 0 }),
      target,
      action: { do: 'delete', message },
    }));
  }
}

/** The asking whose sign is still there: of all but the first, whose place the row 1 takes. */
export function unanswered(envelopes: readonly Envelope[], isFirstTaken: boolean): Withdrawn[] {
  return envelopes
    .slice(isFirstTaken ? 1 : 0)
    .flatMap(({ target }) => (target.replyTo === undefined ? [] : [{ target, message: target.replyTo }]));
}

function merged(rows: readonly OutboxRow[], limit: number): OutboxRow[] {
  const out: OutboxRow[] = [];
  for (const row of rows) {
    const last = out.at(-1);
    const text = last ? `${last.text}\n\n${row.text}` : row.text;
    if (last && mayJoin(last, row) && text.length <= limit) out[out.length - 1] = { ...row, text };
    else out.push(row);
  }
  return out;
}

/** One message has one of everything but text. */
function mayJoin(last: OutboxRow, row: OutboxRow): boolean {
  if (last.action || last.media || last.buttons || row.action || row.media) return false;
  return last.target.replyTo === row.target.replyTo;
}
