import type { DeliveryMode, ShownPark, TurnEvent, TurnOutcome, TurnRecord, Usage } from '#contracts';
import { turnIdOf, type MessageId, type SessionKey } from '#kernel';

export interface AnsweredMessage {
  id: string;
  /** null while it is on its way. */
  content: string | null;
  /** Redis time, ms since the epoch; null while it is on its way. */
  deliveredAt: number | null;
  deliveryMode: DeliveryMode | null;
  sequenceInTurn: number;
}

/** What became of one message: the waiting answer of invoke and the `done` event of its stream. */
export interface TurnAnswer {
  session: SessionKey;
  turnId: string;
  messageId: MessageId;
  outcome: TurnOutcome;
  /** Stable code of an outcome that is no answer. */
  reason?: string | undefined;
  /** What a parked turn waits for; its own end comes later. */
  park?: ShownPark | undefined;
  text: string;
  /** Tokens of all the model's answers in the turn; absent where the model was not asked. */
  usage?: Usage | undefined;
  /** In the order in which they were delivered. */
  messages: AnsweredMessage[];
  /** The turn that answered, where another message had begun it. */
  mergedInto?: string;
}

type Ended = Extract<TurnEvent, { type: 'turn.end' }>;
type Delivered = Extract<TurnEvent, { type: 'message' }>;
type Changed = Extract<TurnEvent, { type: 'message.changed' }>;

/** Collects, event by event of a session, what became of one message. */
export class AnswerCollector {
  private readonly turns: Set<string>;
  private readonly delivered = new Map<string, Delivered>();
  private readonly changed = new Map<string, Changed>();
  private ended: Ended | undefined;

  constructor(
    private readonly session: SessionKey,
    private readonly message: MessageId,
    /** The turn is known to have gone on, if it was parked. */
    private readonly isOver = false,
  ) {
    this.turns = new Set([turnIdOf(message, 0)]);
  }

  /** @returns whether the event belongs to a turn of the message */
  add(event: TurnEvent): boolean {
    if ('messages' in event && event.messages.includes(this.message)) this.turns.add(event.turn);
    // Kept for every turn: which one is ours may become known only at its end, when it was joined on the way.
    if (event.type === 'message') this.delivered.set(event.id, event);
    if (event.type === 'message.changed') this.changed.set(event.id, event);
    if (!this.turns.has(event.turn)) return false;
    if (event.type === 'turn.end' && !(event.outcome === 'parked' && this.isOver)) this.ended = event;
    return true;
  }

  get hasEnded(): boolean {
    return this.ended !== undefined;
  }

  /** The turn ended and everything it sends has arrived. */
  get isComplete(): boolean {
    return this.ended?.rows.every((row) => this.hasArrived(row)) ?? false;
  }

  /** @throws when the turn has not ended */
  answer(): TurnAnswer {
    if (!this.ended) throw new Error('The turn has not ended');
    const { turn, outcome, reason, park, text, usage, rows } = this.ended;
    const arrived = this.shown().filter((event) => event.turn === turn);
    const missing = rows.filter((row) => !this.hasArrived(row)).map(pendingMessage);
    return {
      ...this.identity(turn),
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(park && { park }),
      text,
      ...(usage && { usage }),
      messages: [...arrived.map(answeredMessage), ...missing],
    };
  }

  /** From the transcript, where a late retry finds no events any more: the text is there, its deliveries are not. */
  answerOf({ turn, outcome, reason, park, usage, messages }: TurnRecord): TurnAnswer {
    const text = messages.findLast(({ role }) => role === 'assistant')?.text ?? '';
    const why = { ...(reason === undefined ? {} : { reason }), ...(park && { park }), ...(usage && { usage }) };
    return { ...this.identity(turn), outcome, ...why, text, messages: [] };
  }

  private hasArrived(row: string): boolean {
    return this.delivered.has(row) || this.changed.has(row);
  }

  /** What a reader has before him: without what was deleted, and as it was edited last. */
  private shown(): Delivered[] {
    const shown = new Map(this.delivered);
    for (const { action, text } of this.changed.values()) {
      const message = shown.get(action.message);
      if (message && action.do === 'edit') shown.set(message.id, { ...message, text });
      if (action.do === 'delete') shown.delete(action.message);
    }
    return [...shown.values()];
  }

  private identity(turn: string) {
    const { session, message: messageId } = this;
    const turnId = turnIdOf(messageId, 0);
    const merged = !turn.startsWith(`${messageId}~`);
    return { session, turnId: merged ? turnId : turn, messageId, ...(merged ? { mergedInto: turn } : {}) };
  }
}

function answeredMessage({ id, text, deliveredAt, deliveryMode, sequenceInTurn }: Delivered): AnsweredMessage {
  return { id, content: text, deliveredAt, deliveryMode, sequenceInTurn };
}

function pendingMessage(row: string): AnsweredMessage {
  return {
    id: row,
    content: null,
    deliveredAt: null,
    deliveryMode: null,
    sequenceInTurn: Number(row.slice(row.lastIndexOf('-') + 1)),
  };
}
