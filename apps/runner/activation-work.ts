import type { TurnRecord } from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import type { Candidate, Claim, SessionMailbox } from '#lanes';

/** What counts of a turn that was committed. */
interface Committed {
  record: TurnRecord;
  relayed: number | undefined;
  startsEpoch: boolean;
}

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
