import { hash } from 'node:crypto';
import type { Envelope, JournalEntry, Park, ParkDecision } from '#contracts';
import { messageId, type MessageId, type SessionKey } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

/** A turn that was laid aside, with all it needs to go on. */
export type ParkedTurn = Extract<JournalEntry, { k: 'parked' }>;

/** How the wait ended, and who ended it. */
export interface ParkAnswer {
  decision: ParkDecision;
  /** The person's answer or reason; '' for none. */
  text: string;
  sender: Envelope['sender'];
  /** ms since the epoch. */
  at: number;
}

/** Neither 0 and O nor 1 and I: people type it. */
const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 6;

/** What waits in a session: one field per turn that is parked, its whole journal, `parked` last. */
export class Parks {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
  ) {}

  /** Oldest first. */
  async list(session: SessionKey): Promise<ParkedTurn[]> {
    const journals = await this.redis.hvals(this.keyspace.parked(session));
    return journals.map(lastEntry).toSorted((one, other) => one.at - other.at);
  }

  /** undefined: nothing waits under this code, or not any more. */
  async find(session: SessionKey, code: string): Promise<ParkedTurn | undefined> {
    const journal = await this.redis.hget(this.keyspace.parked(session), code);
    return journal === null ? undefined : lastEntry(journal);
  }
}

/** The same for every attempt to park this call, so that trying again is the same park. */
export function parkCode(turn: string, park: Pick<Park, 'call' | 'kind' | 'round'>): string {
  const bytes = hash('sha256', waitOf(turn, park), 'buffer').subarray(0, CODE_LENGTH);
  return Array.from(bytes, (byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}

/** What one wait is known by. */
function waitOf(turn: string, { call, kind, round = 0 }: Pick<Park, 'call' | 'kind' | 'round'>): string {
  return JSON.stringify([turn, call, kind, ...(round > 0 ? [round] : [])]);
}

/** Answer, refusal, timeout and cancel of one park are one message: the first is accepted, the others are its duplicates. */
function answerId(parked: ParkedTurn): MessageId {
  const [{ tenant, session }] = parked.envelopes;
  const platformId = waitOf(parked.turn, parked);
  return messageId({ channel: 'park', account: tenant, conversation: session, kind: 'answer', platformId });
}

export function answerEnvelope(parked: ParkedTurn, { decision, text, sender, at }: ParkAnswer): Envelope {
  const [{ context: _, ...first }] = parked.envelopes;
  const { code, call, kind, round } = parked;
  const answer = { code, call, kind, decision, ...(round !== undefined && { round }) };
  return { ...first, id: answerId(parked), kind: 'answer', sender, text, media: [], at, answer };
}

function lastEntry(journal: string): ParkedTurn {
  return JSON.parse(journal.slice(journal.lastIndexOf('\n') + 1)) as ParkedTurn;
}
