import type { TurnRecord } from '#contracts';
import { LeaseLostError, type MessageId, type SessionKey } from '#kernel';
import type { Candidate, Claim, SessionMailbox, TakenMessage } from '#lanes';

/** What counts of a turn that was committed. */
interface Committed {
  record: TurnRecord;
  relayed: number | undefined;
  startsEpoch: boolean;
}

/** Of messages that join a turn; what is left joins at its next boundary. */
const MOST_AT_ONCE = 20;

/** What one run of one activation remembers. */
export class ActivationWork {
  /** Ended, not acknowledged yet. */
  toAck: MessageId[] = [];
  relayed: number | undefined;
  history: TurnRecord[] | undefined;
  messagesRun = 0;
  /** Turns begun. */
  turns = 0;
  private leave: (() => void) | undefined;

  constructor(
    readonly candidate: Candidate,
    readonly mailbox: SessionMailbox,
  ) {}

  get claim(): Claim<SessionKey> {
    return this.candidate.claim;
  }

  get inCompany(): boolean {
    return this.leave !== undefined;
  }

  committed({ record, relayed, startsEpoch }: Committed, messages: number): void {
    if (startsEpoch) this.history = [];
    this.dropped(record, relayed);
    this.messagesRun += messages;
    this.leaveCompany();
  }

  dropped(record: TurnRecord, relayed: number | undefined): void {
    this.history?.push(record);
    this.relayed = relayed ?? this.relayed;
  }

  /** Messages that join the running turn. Throws LeaseLostError. */
  async takeMore(): Promise<TakenMessage[]> {
    const take = await this.mailbox.takeMore(MOST_AT_ONCE);
    if (take.kind === 'superseded') throw new LeaseLostError(this.claim.key, 'take more');
    if (take.kind !== 'turn') return [];
    this.toAck.push(...take.messages.map(({ id }) => id));
    return take.messages.filter(({ flag }) => flag === 'live');
  }

  enterCompany(leave: () => void): void {
    this.leave = leave;
  }

  /** The journal has grown: the turn gets on, so it is no suspect any more. */
  cleared(): void {
    if (!this.leave) return;
    this.leaveCompany();
    void this.mailbox.suspect('cleared').catch(() => undefined);
  }

  leaveCompany(): void {
    this.leave?.();
    this.leave = undefined;
  }
}
