import type { MessageAbilities, SendRequest, SendState, TurnSends } from '#agent';
import type { JournalEntry, OutboxRow } from '#contracts';
import { checkpoint } from '#kernel';
import type { Relay } from '#lanes';
import type { ClaimedSession, Receipts } from '#sessions';
import { inSpan, sendSpan, type TurnLog } from '#telemetry';
import type { MessageTargets } from './message-targets.js';
import type { TurnPreview } from './turn-preview.js';
import type { Send, TurnRows } from './turn-rows.js';

export interface TurnSendsParts {
  session: ClaimedSession;
  relay: Relay;
  receipts: Receipts;
  rows: TurnRows;
  log: TurnLog;
  /** How long `now` waits for a receipt, ms. */
  receiptWaitMs: number;
  canSendNow: boolean;
  abilities: MessageAbilities;
  targets: MessageTargets;
  preview: TurnPreview | undefined;
  signal: AbortSignal;
}

interface Stored {
  send: Send;
  /** Of its outbox row. */
  number: number;
  /** The preview whose place it takes. */
  replaces: Pick<OutboxRow, 'replaces'>;
}

/** The sends of one turn: journalled and stored in one fenced step, relayed at once; asked for twice, sent once (TO-1, G5). */
export class SessionTurnSends implements TurnSends {
  private readonly byKey = new Map<string, Send>();
  private next = 1;
  /** Number of the last notice of a park. */
  private left = 0;
  /** One is stored after the other, so that each gets a number of its own. */
  private storing: Promise<unknown> = Promise.resolve();
  /** Highest outbox number relayed by this turn. */
  relayed: number | undefined;

  constructor(
    private readonly parts: TurnSendsParts,
    journal: readonly JournalEntry[],
  ) {
    for (const entry of journal) if (entry.k === 'send') this.remember(entry);
  }

  get canSendNow(): boolean {
    return this.parts.canSendNow;
  }

  get abilities(): MessageAbilities {
    return this.parts.abilities;
  }

  findMessage(whose: 'own' | 'seen', id?: string): Promise<string | undefined> {
    return this.parts.targets.find(whose, id, [...this.byKey.values()]);
  }

  /** Every send so far, in order; of a turn that was parked, those since: what came before has left. */
  get all(): Send[] {
    return [...this.byKey.values()].filter(({ n }) => n > this.left);
  }

  get nextSequence(): number {
    return this.next;
  }

  async now(request: SendRequest): Promise<SendState> {
    const known = this.byKey.get(request.key);
    const row = known ? this.parts.rows.row(known) : await this.send(request);
    const receipt = await this.parts.receipts.wait(row, this.parts.receiptWaitMs, this.parts.signal);
    if (!receipt) return { state: 'queued', sequenceInTurn: row.n, queuedAt: row.at };
    return { state: 'delivered', sequenceInTurn: row.n, receipt };
  }

  async atEnd(request: SendRequest): Promise<{ sequenceInTurn: number; queuedAt: number }> {
    const send = this.byKey.get(request.key) ?? (await this.journal(request)).send;
    return { sequenceInTurn: send.n, queuedAt: send.at };
  }

  private send(request: SendRequest): Promise<OutboxRow> {
    return inSpan(sendSpan('deliveries', { 'turnpike.delivery.mode': request.mode }), () => this.relay(request));
  }

  private async relay(request: SendRequest): Promise<OutboxRow> {
    const { send, number, replaces } = await this.journal(request);
    const row = { ...this.parts.rows.row(send), ...replaces };
    checkpoint('runner.send-journalled');
    this.relayed = await this.parts.relay.relay([{ row, number }]);
    checkpoint('runner.send-relayed');
    return row;
  }

  /** A send that was given up while it was being stored is known from then on. */
  async settled(): Promise<void> {
    await this.storing;
  }

  private journal(request: SendRequest): Promise<Stored> {
    const stored = this.storing.then(() => this.store(request));
    this.storing = stored.catch(() => undefined);
    return stored;
  }

  private async store(request: SendRequest): Promise<Stored> {
    const draft: Send = { k: 'send', n: this.next, ...request, at: 0 };
    const row = request.mode !== 'batched' && this.canSendNow ? this.parts.rows.row(draft) : undefined;
    const place = row && (await this.parts.preview?.givePlace(row));
    const replaces = place === undefined ? {} : { replaces: place };
    const { number, at } = await this.parts.session.step([draft], row && { ...row, ...replaces });
    const send = { ...draft, at };
    this.remember(send);
    this.log(this.parts.rows.row(send));
    return { send, number, replaces };
  }

  private remember(send: Send): void {
    this.byKey.set(send.key, send);
    this.next = Math.max(this.next, send.n + 1);
    if (send.mode === 'notice') this.left = send.n;
  }

  private log({ turn, session, tenant, mode, n, text, fellBack }: OutboxRow): void {
    const fields = { turnId: turn, session, tenant, deliveryMode: mode, sequenceInTurn: n, text };
    if (fellBack)
      this.parts.log.messageFellBack({ ...fields, error: 'proven unsent, or the channel cannot send before the turn ends' });
    else this.parts.log.messageQueued(fields);
  }
}

/** Whether a send waits for the commit. */
export function leavesAtEnd(send: Send, canSendNow: boolean): boolean {
  return send.mode === 'batched' || !canSendNow;
}

const FALL_BACK = /:batch$/;

/** Whether it takes the place of an immediate send that was refused. */
export function isFallBack({ key }: Send): boolean {
  return FALL_BACK.test(key);
}

/** The tool call that asked for a send. */
export function callOf(key: string): string {
  return key.replace(FALL_BACK, '');
}
