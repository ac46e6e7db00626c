import type { WorkClass } from '#contracts';
import { checkpoint, type MessageId, type SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import type { Claim } from './claim.js';
import type { GuardedMulti } from './guarded-multi.js';
import { newJob, type Lane } from './lane.js';
import { SessionMailbox, type MailboxSettings } from './session-mailbox.js';

const acceptGuard = loadScript(import.meta.dirname, 'accept-guard', 'time', 'ring');

export interface NewMessage {
  session: SessionKey;
  id: MessageId;
  /** `<version>:<kind>:<group>`: only messages of one name may share a turn. */
  name: string;
  /** The envelope as JSON. */
  data: string;
  /** Tells a true duplicate from another body under the same id. */
  fingerprint: string;
  idempotencyTtlMs: number;
  /** Debounce: the session's turn starts this long after its last message; 0 starts it now. */
  quietMs: number;
  class: WorkClass;
  /** Ends a quiet window at once (media, commands). */
  flush: boolean;
  /** Gets what was said in its group before, as the field `history` of its envelope. */
  takesHistory: boolean;
}

export interface Accepted {
  /** Stored before: nothing new was written, `seq` and `fingerprint` are those of the first. */
  duplicate: boolean;
  seq: number;
  /** Among what waits, 1 = next; undefined for a duplicate. */
  position: number | undefined;
  fingerprint: string;
}

/** The `turns` lane's mailboxes: one BullMQ queue per session, which exists only while the session has mail. */
export class SessionMailboxes {
  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly multi: GuardedMulti,
    private readonly keyspace: Keyspace,
    private readonly settings: MailboxSettings,
  ) {}

  /**
   * Stores a message and wakes its session, in one round trip. Accepted means durable (G1).
   * Throws UnavailableError when Redis did not confirm both; the same id may then be sent again.
   */
  async accept(message: NewMessage): Promise<Accepted> {
    const { session, id, fingerprint, idempotencyTtlMs, quietMs, flush, takesHistory } = message;
    const about = [session, id, fingerprint, idempotencyTtlMs, quietMs, flush ? 1 : 0, message.class, takesHistory ? 1 : 0];
    const box = this.lane.sibling(this.keyspace.bucketOf(session), this.keyspace.mailboxName(session));
    const replies = await this.multi.run((transaction, guard) => {
      box
        .addJobToTransaction(transaction, newJob(message.name, message.data, { attempts: 1 }, Date.now()), message.id)
        .catch(() => undefined);
      this.lane.addTo(transaction, session);
      guard(acceptGuard, this.guardKeys(message), about);
      checkpoint('accept.before-exec');
    });
    checkpoint('accept.after-exec');
    const [duplicate, seq, first, promote, position] = replies.at(-1) as [number, number, string, string, number];
    if (promote) await this.lane.promote(this.keyspace.bucketOf(session), promote);
    return { duplicate: duplicate === 1, seq, position: position || undefined, fingerprint: first };
  }

  /** The mailbox of a claimed session. */
  of(claim: Claim<SessionKey>): SessionMailbox {
    return new SessionMailbox(this.redis, this.lane, this.keyspace, this.settings, claim);
  }

  private guardKeys({ session, id }: NewMessage): string[] {
    const k = this.keyspace;
    const bucket = k.bucketOf(session);
    const lane = this.lane.name;
    return [
      k.head(session),
      k.mailbox(session, id),
      k.activation(lane, bucket, `de:${session}`),
      k.idempotency(session, id),
      k.busy(lane, bucket),
      k.activation(lane, bucket, 'delayed'),
      k.seen(session),
      k.mailbox(session, 'wait'),
      k.groupHistory(session),
    ];
  }
}
