import { envelopeSchema, type Envelope, type JournalEntry, type SessionSettings, type TurnRecord } from '#contracts';
import type { MessageId, SessionKey, TurnId } from '#kernel';
import type { Claim, TakenMessage, TakenTurn } from '#lanes';

/** A turn as a claim took it: what it answers and how far an earlier attempt came. */
export interface ClaimedTurn {
  claim: Claim<SessionKey>;
  id: TurnId;
  messages: readonly TakenMessage[];
  envelopes: readonly [Envelope, ...Envelope[]];
  journal: readonly JournalEntry[];
  history: readonly TurnRecord[];
  settings: SessionSettings;
  /** It was cancelled before this claim: it ends, and does not run. */
  cancelled: boolean;
}

/** Throws when an envelope cannot be read: it was stored by something that is no Turnpike. */
export function claimedTurn(
  claim: Claim<SessionKey>,
  taken: TakenTurn,
  live: readonly TakenMessage[],
  history: readonly TurnRecord[],
): ClaimedTurn {
  const [first] = taken.journal;
  if (first?.k !== 'open') throw new Error(`The journal of ${claim.key} does not begin with "open"`);
  const [envelope, ...more] = live.map(({ data }) => envelopeSchema.parse(JSON.parse(data)));
  if (!envelope) throw new Error(`Turn ${first.turn} has no message`);
  return {
    claim,
    id: first.turn as TurnId,
    messages: live,
    envelopes: [envelope, ...more],
    journal: taken.journal,
    history,
    settings: taken.settings,
    cancelled: taken.cancelled === first.turn || live.some(({ flag }) => flag === 'cancelled'),
  };
}

export function messageIds(turn: Pick<ClaimedTurn, 'messages'>): MessageId[] {
  return turn.messages.map(({ id }) => id);
}

export function sequencesOf(turn: Pick<ClaimedTurn, 'messages'>): number[] {
  return turn.messages.map(({ seq }) => seq);
}

/** Whether an earlier claim had this turn, if only to wait for room at the model. */
export function isKnown(turn: ClaimedTurn): boolean {
  return isResumed(turn) || turn.messages.every(({ fresh }) => !fresh);
}

/** Whether anything was done before this claim, in this turn. */
export function isResumed(turn: ClaimedTurn): boolean {
  return turn.journal.length > 1 || turn.messages.some(({ crashes }) => crashes > 0);
}

/** /send off: the transcript keeps what is said, and nothing leaves. */
export function isMuted({ settings }: ClaimedTurn): boolean {
  return settings.send === false;
}
