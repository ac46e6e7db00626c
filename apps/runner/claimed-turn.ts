import { envelopeSchema } from '#contracts';
import type { CancelReason, DropPolicy, Envelope, JournalEntry, SessionSettings, TurnInputRecord, TurnRecord } from '#contracts';
import type { MessageId, SessionKey, TurnId } from '#kernel';
import type { Claim, TakenMessage, TakenTurn } from '#lanes';
import { UnreadableMail } from './unreadable-mail.js';

/** A turn as a claim took it: what it answers and how far an earlier attempt came. */
export interface ClaimedTurn {
  claim: Claim<SessionKey>;
  id: TurnId;
  /** What is in flight, oldest first, what joined last; of a turn that was parked, its answer. */
  messages: readonly TakenMessage[];
  /** What the turn answers; before a parked turn is taken up, its answer. */
  envelopes: readonly [Envelope, ...Envelope[]];
  /** Every message that ends in this turn, in every stretch of it. */
  inputs: readonly TurnInputRecord[];
  /** Those that joined while it ran, on this attempt or before. */
  joined: ReadonlySet<string>;
  /** Nothing is answered: its messages are dropped. */
  drop: DropPolicy | undefined;
  journal: readonly JournalEntry[];
  history: readonly TurnRecord[];
  settings: SessionSettings;
  epoch: TakenTurn['epoch'];
  /** Of the tool catalog, when it was taken. */
  catalogVersion: number;
  /** It was cancelled before this claim: it ends, and does not run. */
  cancelled: boolean;
  cancelReason: CancelReason;
}

/** Throws UnreadableMail. */
export function claimedTurn(
  claim: Claim<SessionKey>,
  taken: Pick<TakenTurn, 'journal' | 'settings' | 'epoch' | 'catalogVersion' | 'cancelled' | 'why'>,
  live: readonly TakenMessage[],
  history: readonly TurnRecord[],
): ClaimedTurn {
  const { journal, settings, epoch, catalogVersion, cancelled, why } = taken;
  const [first] = journal;
  if (first?.k !== 'open') throw new Error(`The journal of ${claim.key} does not begin with "open"`);
  const [envelope, ...more] = readAll(live);
  if (!envelope) throw new Error(`Turn ${first.turn} has no message`);
  const parked = journal.findLast((entry) => entry.k === 'parked');
  return {
    claim,
    id: first.turn as TurnId,
    messages: live,
    envelopes: parked?.envelopes ?? [envelope, ...more],
    inputs: [...(parked?.inputs ?? []), ...inputsOf([envelope, ...more], live)],
    joined: new Set(journal.flatMap((entry) => (entry.k === 'joined' ? entry.ids : []))),
    drop: first.drop,
    journal,
    history,
    settings,
    epoch,
    catalogVersion,
    cancelReason: why,
    cancelled: cancelled === first.turn || live.some(({ flag }) => flag === 'cancelled'),
  };
}

/** The parked turn whose answer `turn` holds. A cancel of the answer is one of the turn. */
export function takenUp(
  { claim, messages, history, settings, epoch, catalogVersion, cancelled, cancelReason: why }: ClaimedTurn,
  journal: JournalEntry[],
): ClaimedTurn {
  const turn = claimedTurn(claim, { journal, settings, epoch, catalogVersion, why, cancelled: undefined }, messages, history);
  return { ...turn, cancelled };
}

/** Takes messages into a turn that runs. Throws UnreadableMail. @returns what they say */
export function join(turn: ClaimedTurn, taken: readonly TakenMessage[]): Envelope[] {
  const more = readAll(taken);
  turn.messages = [...turn.messages, ...taken];
  turn.envelopes = [...turn.envelopes, ...more];
  turn.inputs = [...turn.inputs, ...inputsOf(more, taken)];
  turn.joined = new Set([...turn.joined, ...taken.map(({ id }) => id)]);
  return more;
}

/** What the turn was begun for. */
export function beginning({ envelopes, joined }: Pick<ClaimedTurn, 'envelopes' | 'joined'>): Envelope[] {
  return envelopes.filter(({ id }) => !joined.has(id));
}

function readAll(messages: readonly TakenMessage[]): Envelope[] {
  const read = messages.map(envelopeOf);
  const unreadable = messages.filter((_, index) => !read[index]);
  if (unreadable.length > 0) throw new UnreadableMail(unreadable);
  return read.flatMap((one) => one ?? []);
}

function inputsOf(envelopes: readonly Envelope[], messages: readonly TakenMessage[]): TurnInputRecord[] {
  return envelopes.map(({ id, sender, at }, index) => ({ id, seq: messages[index]?.seq ?? 0, sender: sender.id, at }));
}

/** undefined where something that is no Turnpike wrote it. */
export function envelopeOf({ data }: TakenMessage): Envelope | undefined {
  try {
    return envelopeSchema.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
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

/** Taken up with its answer, by this claim: nobody died. */
function wasParked({ journal, messages }: ClaimedTurn): boolean {
  return journal.at(-1)?.k === 'resolved' && messages.every(({ crashes }) => crashes === 0);
}

/** Whether anything was done before this claim, in this turn. */
export function isResumed(turn: ClaimedTurn): boolean {
  return turn.journal.length > 1 || turn.messages.some(({ crashes }) => crashes > 0);
}

/** Why a turn goes on that was begun before; undefined where it was not, or was parked. */
export function recoveryCause(turn: ClaimedTurn): 'crash' | 'error' | 'handed_back' | undefined {
  if (!isResumed(turn) || wasParked(turn)) return undefined;
  if (turn.journal.at(-1)?.k === 'error') return 'error';
  return turn.messages.some(({ crashes }) => crashes > 0) ? 'crash' : 'handed_back';
}

/** /send off: the transcript keeps what is said, and nothing leaves. */
export function isMuted({ settings }: ClaimedTurn): boolean {
  return settings.send === false;
}
