import type { TurnRecord } from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import type { Claim, SessionMailbox } from '#lanes';

/** What one run of one activation remembers. */
export class ActivationWork {
  /** Ended, not acknowledged yet. */
  toAck: MessageId[] = [];
  relayed: number | undefined;
  history: TurnRecord[] | undefined;
  messagesRun = 0;
  /** A turn is charged to the rate of the fleet, and has not been run. */
  unspent = true;
  private leave: (() => void) | undefined;

  constructor(
    readonly claim: Claim<SessionKey>,
    /** Of the session. */
    readonly owner: { tenant: string; agent: string },
    readonly mailbox: SessionMailbox,
  ) {}

  get inCompany(): boolean {
    return this.leave !== undefined;
  }

  committed(record: TurnRecord, relayed: number | undefined, messages: number): void {
    this.history?.push(record);
    this.relayed = relayed ?? this.relayed;
    this.messagesRun += messages;
    this.unspent = false;
    this.leaveCompany();
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
