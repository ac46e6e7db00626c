import { hash } from 'node:crypto';
import {
  sessionSettingsSchema,
  type CancelTarget,
  type Envelope,
  type SessionSettings,
  type SettingsPatch,
  type TurnRecord,
} from '#contracts';
import type { MessageId, SessionKey } from '#kernel';
import type { Accepted as Stored, Lane, SessionMailboxes } from '#lanes';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

export interface AcceptOptions {
  idempotencyTtlMs: number;
  quietMs: number;
  flush: boolean;
}

export interface Accepted extends Stored {
  /** A duplicate says the same as the first; false: the id was used for something else. */
  sameMessage: boolean;
}

export interface Cancelled {
  /** The turn that was running; undefined when none was. */
  turn: string | undefined;
  /** Messages that waited behind it. */
  waiting: number;
  /** Accept sequence of the session when the cancel was stored. */
  seq: number;
  /** The same control message was obeyed before. */
  repeated: boolean;
}

/** Names the control message that asks for something: asked again, it changes nothing and gets the first answer. */
export interface AskedBy {
  id: MessageId;
  ttlMs: number;
}

/** `current`: whatever runs now. `turn`: this one, if it still runs. `all`: everything accepted so far. */
export type CancelRequest = { what: 'current' } | { what: 'turn'; turn: string } | { what: 'all' };

export interface SessionState {
  /** Accept sequence: messages accepted in the life of the session. */
  accepted: number;
  waiting: number;
  running: string | undefined;
}

const GROUP_CHARS = 10;
const cancelScript = loadScript(import.meta.dirname, 'cancel');
const settingsScript = loadScript(import.meta.dirname, 'change-settings', 'settings');

/** What everybody but the claimed runner does with a session: give it mail, stop it, read it. */
export class Sessions {
  constructor(
    private readonly redis: RedisClient,
    private readonly mailboxes: SessionMailboxes,
    private readonly lane: Lane,
    private readonly keyspace: Keyspace,
  ) {}

  /** Stores one message in its session's mailbox and wakes it. Throws UnavailableError: nothing was acknowledged, send it again. */
  async accept(envelope: Envelope, options: AcceptOptions): Promise<Accepted> {
    const print = fingerprint(envelope);
    const stored = await this.mailboxes.accept({
      ...options,
      session: envelope.session,
      id: envelope.id,
      name: `${envelope.v}:${envelope.kind}:${turnGroup(envelope)}`,
      data: JSON.stringify(envelope),
      fingerprint: print,
    });
    return { ...stored, sameMessage: stored.fingerprint === print };
  }

  /** Stores a cancel. It is obeyed by the next step of the turn it names; a control hint only makes that sooner. */
  async cancel(session: SessionKey, request: CancelRequest, idempotency?: AskedBy): Promise<Cancelled> {
    const k = this.keyspace;
    const bucket = k.bucketOf(session);
    const head = k.head(session);
    const keys = [
      head,
      k.journal(session),
      idempotency ? k.idempotency(session, idempotency.id) : head,
      k.activation(this.lane.name, bucket, `de:${session}`),
      k.activation(this.lane.name, bucket, 'delayed'),
      request.what === 'turn' ? k.mailbox(session, firstMessageOf(request.turn)) : head,
      k.mailbox(session, 'wait'),
    ];
    const args = [request.what, request.what === 'turn' ? request.turn : '', idempotency?.ttlMs ?? 0];
    const reply = (await cancelScript.run(this.redis, keys, args)) as [string, number, string, number, number];
    const [turn, seq, promote, repeated, waiting] = reply;
    if (promote) await this.lane.promote(bucket, promote);
    return { turn: turn || undefined, waiting, seq, repeated: repeated === 1 };
  }

  async settings(session: SessionKey): Promise<SessionSettings> {
    return readSettings(await this.redis.hget(this.keyspace.head(session), 'set'));
  }

  /** Changes what the patch names and leaves the rest. They apply from the next turn on. @returns what is in force now */
  async changeSettings(session: SessionKey, patch: SettingsPatch, askedBy?: AskedBy): Promise<SessionSettings> {
    const head = this.keyspace.head(session);
    const keys = [head, askedBy ? this.keyspace.idempotency(session, askedBy.id) : head];
    return readSettings(await settingsScript.run(this.redis, keys, [JSON.stringify(patch), askedBy?.ttlMs ?? 0]));
  }

  /** Oldest first. @param last how many turns */
  async transcript(session: SessionKey, last: number): Promise<TurnRecord[]> {
    const records = await this.redis.lrange(this.keyspace.transcript(session), -last, -1);
    return records.map((record) => JSON.parse(record) as TurnRecord);
  }

  async state(session: SessionKey): Promise<SessionState> {
    const k = this.keyspace;
    const [accepted, waiting, open] = await Promise.all([
      this.redis.hget(k.head(session), 'seq'),
      this.redis.llen(k.mailbox(session, 'wait')),
      this.redis.lindex(k.journal(session), 0),
    ]);
    return { accepted: Number(accepted ?? 0), waiting, running: open ? (JSON.parse(open) as { turn: string }).turn : undefined };
  }
}

/** Whether a pending cancel names a turn: by its id, or because all of its messages were accepted before it. */
export function cancels(
  target: { turn: string | undefined; upTo: number | undefined },
  turn: string,
  sequences: readonly number[],
): boolean {
  return target.turn === turn || (target.upTo !== undefined && sequences.every((seq) => seq <= (target.upTo ?? 0)));
}

/** The control hint of a stored cancel: it names what was asked for, so that it cannot hit the turn that runs by now. */
export function cancelTarget(request: CancelRequest, { turn = '', seq }: Pick<Cancelled, 'turn' | 'seq'>): CancelTarget {
  if (request.what === 'all') return { before: seq };
  return { turn: request.what === 'turn' ? request.turn : turn };
}

function readSettings(stored: unknown): SessionSettings {
  return sessionSettingsSchema.parse(JSON.parse(typeof stored === 'string' ? stored : '{}'));
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
