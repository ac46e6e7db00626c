import { hash } from 'node:crypto';
import type { Envelope, QueueMode, SessionSettings, SettingsPatch, TurnRecord } from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import type { Accepted as Stored, Lane, SessionMailboxes } from '#lanes';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { currentTrace, inSpan, sendSpan } from '#telemetry';
import { settingsScript } from './claimed-session.js';
import { lastOfEachTurn } from './last-of-each-turn.js';
import { readSettings, sessionState, type SessionState } from './session-state.js';

export interface AcceptOptions {
  idempotencyTtlMs: number;
  /** Quiet window: the turn starts this long after the last message; 0 = at once. */
  quietMs: number;
  /** Ends an open quiet window, which it joins. */
  flush: boolean;
  /** What the message does to a turn that runs, unless its session or itself has a mode of its own (QU-2); default followup. */
  mode?: QueueMode;
  /** Refused when this many messages wait; default: never. */
  hardCap?: number;
}

export interface Accepted extends Stored {
  /** A duplicate says the same as the first; false: the id was used for something else. */
  sameMessage: boolean;
}

export interface Cancelled {
  /** The running turn that is to stop; undefined when none is. */
  turn: string | undefined;
  /** How many messages that wait end as cancelled, when their turn comes. */
  waiting: number;
  /** The same control message was obeyed before. */
  repeated: boolean;
  /** Redis time, ms; of a repeated one the first. Nothing that came later is meant. */
  at: number;
  /** false: nothing was done, the id was used for something else. */
  sameMessage: boolean;
}

/** Names the control message that asks for something: asked again, it changes nothing and gets the first answer. */
export interface AskedBy {
  id: MessageId;
  ttlMs: number;
}

/**
 * `current`: whatever runs now. `turn`: that one, whether it runs or waits. `message`: that one, if it waits. `waiting`: everything
 * that waits. `all`: everything accepted so far.
 */
export type CancelRequest =
  { what: 'current' | 'waiting' | 'all' } | { what: 'turn'; turn: string } | { what: 'message'; id: MessageId };

const GROUP_CHARS = 10;
const cancelScript = loadScript(import.meta.dirname, 'cancel', 'time');

/** What everybody but the claimed runner does with a session: give it mail, stop it, read it. */
export class Sessions {
  constructor(
    private readonly redis: RedisClient,
    private readonly mailboxes: SessionMailboxes,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
  ) {}

  /** Stores one message in its session's mailbox and wakes it. Throws UnavailableError: nothing was acknowledged, send it again; MessageRefused. */
  async accept(envelope: Envelope, options: AcceptOptions): Promise<Accepted> {
    const { id, session, target } = envelope;
    const message = { 'messaging.message.id': id, 'gen_ai.conversation.id': session, 'turnpike.channel': target.channel };
    return inSpan(sendSpan('turns', message), () => this.store({ ...envelope, trace: currentTrace() }, options));
  }

  private async store(envelope: Envelope, options: AcceptOptions): Promise<Accepted> {
    const print = fingerprint(envelope);
    const { mode = 'followup', hardCap = Number.MAX_SAFE_INTEGER, ...rest } = options;
    const stored = await this.mailboxes.accept({
      ...rest,
      hardCap,
      mode: envelope.kind === 'message' ? (envelope.queueMode ?? mode) : undefined,
      forced: envelope.queueMode !== undefined,
      session: envelope.session,
      id: envelope.id,
      class: envelope.class,
      name: `${envelope.v}:${envelope.kind}:${turnGroup(envelope)}`,
      data: JSON.stringify(envelope),
      fingerprint: print,
      takesHistory: envelope.kind === 'message' && envelope.platform.chatType !== 'direct',
    });
    return { ...stored, sameMessage: stored.fingerprint === print };
  }

  /**
   * Stores a cancel. A running turn obeys at its next step, and a control hint only makes that sooner; a message that waits is
   * marked, and ends without having run.
   */
  async cancel(session: SessionKey, request: CancelRequest, askedBy?: AskedBy): Promise<Cancelled> {
    const k = this.keyspace;
    const bucket = k.bucketOf(session);
    const head = k.head(session);
    const keys = [
      head,
      k.journal(session),
      askedBy ? k.idempotency(session, askedBy.id) : head,
      k.activation(this.lane.name, bucket, `de:${session}`),
      k.activation(this.lane.name, bucket, 'delayed'),
      k.mailbox(session, 'wait'),
    ];
    const args = [...targetsOf(request), askedBy?.ttlMs ?? 0, k.mailbox(session, '')];
    const reply = (await cancelScript.run(this.redis, keys, args)) as [string, number, string, number, number] | [];
    const [turn, waiting = 0, promote, repeated, at = 0] = reply;
    if (promote) await this.lane.promote(bucket, promote);
    return { turn: turn || undefined, waiting, repeated: repeated === 1, at, sameMessage: reply.length > 0 };
  }

  async settings(session: SessionKey): Promise<SessionSettings> {
    return readSettings(await this.redis.hget(this.keyspace.head(session), 'set'));
  }

  /**
   * Changes what the patch names and leaves the rest. They apply from the next turn on. @returns what is in force now; undefined:
   * nothing was done, the id of `askedBy` was used for something else
   */
  async changeSettings(session: SessionKey, patch: SettingsPatch, askedBy?: AskedBy): Promise<SessionSettings | undefined> {
    const head = this.keyspace.head(session);
    const keys = [head, askedBy ? this.keyspace.idempotency(session, askedBy.id) : head];
    const changed = await settingsScript.run(this.redis, keys, [JSON.stringify(patch), askedBy?.ttlMs ?? 0, '']);
    return changed === null ? undefined : readSettings(changed);
  }

  /** Oldest first. A turn that was parked has one record, its last. @param last how many records are looked at */
  async transcript(session: SessionKey, last: number): Promise<TurnRecord[]> {
    const records = await this.redis.lrange(this.keyspace.transcript(session), -last, -1);
    return lastOfEachTurn(records.map((record) => JSON.parse(record) as TurnRecord));
  }

  /** What runs and what waits, in one round trip. @param most messages of the queue to name */
  state(session: SessionKey, most = 1): Promise<SessionState> {
    return sessionState(this.redis, this.keyspace, session, most);
  }
}

/** For cancel.lua: which running turn, which messages that wait. A turn that waits is named by its first message. */
function targetsOf(request: CancelRequest): [running: string, waiting: string] {
  switch (request.what) {
    case 'current':
      return ['*', ''];
    case 'turn':
      return [request.turn, firstMessageOf(request.turn)];
    case 'message':
      return ['', request.id];
    case 'waiting':
      return ['', '*'];
    case 'all':
      return ['*', '*'];
  }
}

/** Messages share a turn only if they go to one target and thread and come with one authority. */
function turnGroup({ target, agent, sender }: Envelope): string {
  const { channel, account, conversation, thread } = target;
  return digest([channel, account, conversation, thread ?? null, agent, sender.isBot]).slice(0, GROUP_CHARS);
}

/** Of what the sender wrote; not of what ingress adds. */
function fingerprint({ sender, text, media, target }: Envelope): string {
  return digest([sender.id, text, media, target.conversation]).slice(0, GROUP_CHARS);
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url');
}

function firstMessageOf(turn: string): string {
  return turn.split('~', 1)[0] ?? '';
}
