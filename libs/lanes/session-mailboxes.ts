import type { QueueMode, WorkClass } from '#contracts';
import { checkpoint, type MessageId, type SessionKey } from '#kernel';
import { loadScript, type Keyspace, type RedisClient, type Replication } from '#redis';
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
  /** undefined: no ordinary message, so it is never refused and stops nothing. */
  mode: QueueMode | undefined;
  /** The mode counts whatever the session's own is. */
  forced: boolean;
  /** Refused when this many wait. */
  hardCap: number;
}

export interface Accepted {
  /** Stored before: nothing new was written, `seq` and `fingerprint` are those of the first. */
  duplicate: boolean;
  seq: number;
  /** Among what waits, 1 = next; undefined for a duplicate. */
  position: number | undefined;
  fingerprint: string;
  /** The running turn, which the message has told to stop. */
  stops: string | undefined;
}

/** Nothing was stored, and the same id may come again. `busy`: its mode is reject and a turn runs or waits. `full`: the hard cap. */
export class MessageRefused extends Error {
  override name = 'MessageRefused';

  constructor(
    readonly reason: 'busy' | 'full',
    /** False where somebody was told lately. */
    readonly tell: boolean,
  ) {
    super(`The session is ${reason}`);
  }
}

/** A full session says so to its chat once in this time. */
const FULL_AGAIN_MS = 60_000;

/** The `turns` lane's mailboxes: one BullMQ queue per session, which exists only while the session has mail. */
export class SessionMailboxes {
  constructor(
    private readonly redis: RedisClient,
    private readonly lane: Lane,
    private readonly multi: GuardedMulti,
    private readonly keyspace: Keyspace,
    private readonly settings: MailboxSettings,
    /** At durability `replicated`. */
    private readonly replication?: Replication,
  ) {}

  /**
   * Stores a message and wakes its session, in one round trip, with another where it is to be on a replica as well. Accepted means durable (G1).
   * Throws MessageRefused; UnavailableError when Redis did not confirm both; the same id may then be sent again.
   */
  async accept(message: NewMessage): Promise<Accepted> {
    const { session } = message;
    const bucket = this.keyspace.bucketOf(session);
    const box = this.lane.sibling(bucket, this.keyspace.mailboxName(session));
    const replies = await this.multi.run((transaction, guard) => {
      box
        .addJobToTransaction(transaction, newJob(message.name, message.data, { attempts: 1 }, Date.now()), message.id)
        .catch(() => undefined);
      this.lane.addTo(transaction, session);
      guard(acceptGuard, this.guardKeys(message), guardArgs(message));
      checkpoint('accept.before-exec');
    });
    checkpoint('accept.after-exec');
    const reply = replies.at(-1) as GuardReply;
    if (reply[0] === 'busy') throw new MessageRefused('busy', true);
    if (reply[0] === 'full') throw new MessageRefused('full', reply[1] === 1);
    const [verdict, seq, fingerprint, promote, position, stops] = reply;
    if (promote) await this.lane.promote(bucket, promote);
    await this.replication?.confirm(bucket, this.keyspace.idempotency(session, message.id));
    return { duplicate: verdict === 'duplicate', seq, position, fingerprint, stops: stops || undefined };
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
      k.journal(session),
      k.groupHistory(session),
    ];
  }
}

type GuardReply =
  | [verdict: 'new' | 'duplicate', seq: number, fingerprint: string, promote?: string, position?: number, stops?: string]
  | [verdict: 'busy']
  | [verdict: 'full', tell: number];

function guardArgs(message: NewMessage): (string | number)[] {
  const { session, id, fingerprint, idempotencyTtlMs, quietMs, flush, mode = '', forced, hardCap } = message;
  const rules = [
    quietMs,
    flush ? 1 : 0,
    mode,
    forced ? 1 : 0,
    hardCap,
    FULL_AGAIN_MS,
    message.class,
    message.takesHistory ? 1 : 0,
  ];
  return [session, id, fingerprint, idempotencyTtlMs, ...rules];
}
