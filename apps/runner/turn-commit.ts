import { totalOf, type Compaction } from '#agent';
import type { ChannelCapabilities } from '#channels';
import type {
  Button,
  ChatMessage,
  JournalEntry,
  OutboxRow,
  ShownPark,
  Spent,
  TurnEvent,
  TurnOutcome,
  TurnRecord,
  UserMessage,
} from '#contracts';
import { checkpoint } from '#kernel';
import type { HandOver, NumberedRow, Relay } from '#lanes';
import type { ClaimedSession, Commit, ParkCommit, ParkedTurn } from '#sessions';
import { inSpan, sendSpan } from '#telemetry';
import { dropped } from '#tools';
import { beginning, isMuted, messageIds, type ClaimedTurn } from './claimed-turn.js';
import type { MessageTargets } from './message-targets.js';
import { keptMessage, recordMessage, userMessage } from './turn-messages.js';
import type { TurnPreview } from './turn-preview.js';
import { unanswered, type Send, type TurnRows, type Withdrawn } from './turn-rows.js';
import { callOf, isFallBack, leavesAtEnd, type SessionTurnSends } from './turn-sends.js';

export interface Said {
  mode: 'final' | 'notice';
  text: string;
  buttons?: readonly Button[];
}

export interface Ending {
  outcome: TurnOutcome;
  reason?: string | undefined;
  /** What the transcript has instead of the messages that began the turn. */
  users?: readonly UserMessage[];
  /** Behind those: answers, tool results, and messages that joined. */
  messages: ChatMessage[];
  /** What is still said: the answer, or a notice of ours. */
  say: Said | undefined;
  /** What it cost; a parked turn says it at its end. */
  spent?: readonly Spent[];
  /** See TurnRecord.accounts. */
  accounts?: Readonly<Record<string, string>>;
  /** What the next turn reads instead of the oldest ones. */
  compaction?: Compaction | undefined;
  /** Values of the session that the turn has set: they count where it is not cancelled and does not fail (TO-2). */
  state?: ReadonlyMap<string, string>;
  /** The turn goes on later: what its journal is to end with, and for how long it is kept, ms. */
  park?: { parked: ParkedTurn; keptMs: number } | undefined;
  /** The turn is the first of a new epoch. */
  startsEpoch?: boolean;
}

export interface Committed {
  record: TurnRecord;
  /** Highest outbox number relayed. */
  relayed: number | undefined;
  /** The answer or the notice, stored with the commit. */
  said: readonly OutboxRow[];
  immediateCount: number;
  batchedCount: number;
}

/** Ends a turn in one fenced write, then relays what it has left to say. */
export class TurnCommit {
  constructor(
    private readonly turn: ClaimedTurn,
    private readonly session: ClaimedSession,
    private readonly relay: Relay,
    private readonly rows: TurnRows,
    private readonly sends: SessionTurnSends,
    private readonly targets: MessageTargets,
    private readonly channel: ChannelCapabilities,
    private readonly preview: TurnPreview | undefined,
  ) {}

  /** undefined: not parked, because somebody said stop. Throws LeaseLostError; UnavailableError when the rows could not be relayed: the next claim relays them. */
  end(ending: Ending): Promise<Committed | undefined> {
    const { say } = ending;
    return say
      ? inSpan(sendSpan('deliveries', { 'turnpike.delivery.mode': say.mode }), () => this.store(ending))
      : this.store(ending);
  }

  private async store(ending: Ending): Promise<Committed | undefined> {
    const { turn } = this;
    await this.sends.settled();
    const all = this.sends.all;
    const waiting = all.filter((send) => leavesAtEnd(send, this.channel.immediateSend));
    // Batched sends of a turn that did not come to its end are dropped; the record says why (trap T5).
    const leave = hasItsEnd(ending) || ending.outcome === 'parked';
    const batched = leave ? waiting : [];
    const muted = isMuted(turn) && ending.outcome !== 'command';
    const last = muted ? [] : this.rows.last(batched, ending.say, this.sends.nextSequence, this.channel);
    const { rows: said, left } = (await this.preview?.end(last)) ?? { rows: last, left: [] };
    const rows = [...said, ...this.withdrawn(ending, said, left)];
    const messages = leave ? ending.messages : withDropped(ending.messages, waiting);
    const record = { ...recordOf(turn, { ...ending, messages }, this.channel), ...this.place(rows) };
    const sent = all.filter((send) => !waiting.includes(send)).map((send) => this.rows.row(send).id);
    const [envelope] = turn.envelopes;
    const handOver = this.relay.handOver(turn.claim.key, rows);
    checkpoint('runner.before-commit');
    const commit: Commit = {
      turn: turn.id,
      ids: messageIds(turn),
      record,
      payer: envelope,
      rows,
      handOver,
      keepMs: envelope.client?.keepMs,
      state: ending.state,
      lastEvent: envelope.watched ? endEvent(record, ending.say?.text ?? '', [...sent, ...rows.map(({ id }) => id)]) : undefined,
    };
    const stored = await (ending.park
      ? this.session.park(commit, this.kept(ending.park, ending.say))
      : this.session.commit(commit));
    if (!stored) return undefined;
    checkpoint('runner.after-commit');
    const relayed = await this.relayed(stored, handOver);
    checkpoint('runner.after-relay');
    return {
      record,
      relayed: relayed ?? this.sends.relayed,
      said: said.filter(({ mode }) => mode === 'final' || mode === 'notice'),
      immediateCount: all.filter(({ mode }) => mode === 'immediate').length - all.filter(isFallBack).length,
      batchedCount: batched.filter(({ mode }) => mode === 'batched').length,
    };
  }

  private withdrawn({ outcome }: Ending, said: readonly OutboxRow[], previews: readonly string[]): OutboxRow[] {
    const nextN = Math.max(this.sends.nextSequence, ...said.map(({ n }) => n + 1));
    const signs = outcome === 'parked' ? [] : this.openSigns(said);
    return this.rows.withdrawals([...previews.map((message) => ({ message })), ...signs], nextN);
  }

  /** Of a turn that was parked nobody knows any more what took the place of what: it keeps its signs. */
  private openSigns(said: readonly OutboxRow[]): Withdrawn[] {
    const { turn, sends } = this;
    if (!this.channel.placeholder || turn.journal.some(({ k }) => k === 'parked')) return [];
    const isFirstTaken =
      said.some(({ n }) => n === 1) || sends.all.some((send) => send.n === 1 && !leavesAtEnd(send, this.channel.immediateSend));
    return unanswered(turn.envelopes, isFirstTaken);
  }

  /** Where it was said, for turns that look its messages up. */
  private place(rows: readonly OutboxRow[]): Pick<TurnRecord, 'place'> {
    const place = this.targets.place(Math.max(this.sends.nextSequence - 1, ...rows.map(({ n }) => n)));
    return place ? { place } : {};
  }

  /** The notice is a send like others, so that the turn counts on behind it. */
  private kept({ parked, keptMs }: NonNullable<Ending['park']>, say: Ending['say']): ParkCommit {
    const key = `park:${parked.code}`;
    const n = this.sends.nextSequence;
    const notice: JournalEntry = { k: 'send', n, key, mode: 'notice', text: say?.text ?? '', fellBack: false, at: 0 };
    return { code: parked.code, entries: [notice, parked], keptMs };
  }

  /** Nothing is stored by a commit that was made before: the next take has its rows. */
  private async relayed(stored: readonly NumberedRow[], handOver: HandOver | undefined): Promise<number | undefined> {
    if (!handOver) return this.relay.relay(stored);
    if (stored.length > 0) await this.relay.wake(handOver);
    return stored.at(-1)?.number;
  }
}

/** A command that says why it ended did not do what it was asked for. */
function hasItsEnd({ outcome, reason }: Ending): boolean {
  return outcome === 'answered' || (outcome === 'command' && reason === undefined);
}

/** The results of calls whose send was dropped say so; their keys are call ids. */
function withDropped(messages: ChatMessage[], sends: readonly Send[]): ChatMessage[] {
  const calls = new Set(sends.map(({ key }) => callOf(key)));
  return messages.map((message) =>
    message.role === 'tool' && calls.has(message.callId) ? { ...message, ...dropped() } : message,
  );
}

function endEvent({ turn, outcome, reason, park, usage, inputs }: TurnRecord, text: string, rows: string[]): TurnEvent {
  return {
    type: 'turn.end',
    turn,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(park && { park }),
    ...(usage && { usage }),
    messages: inputs.map(({ id }) => id),
    rows,
    text,
  };
}

function shownPark({ code, kind, title, choices }: ParkedTurn): ShownPark {
  return { code, kind, title, choices };
}

/** Thoughts are of use to one provider, and to nobody once the turn is over. */
function keptOf(message: ChatMessage): ChatMessage {
  if (message.role === 'user') return keptMessage(message);
  if (message.role !== 'assistant') return message;
  const { reasoning: _, toolCalls, ...rest } = message;
  return { ...rest, toolCalls: toolCalls.map(({ signature: __, ...call }) => call) };
}

function recordOf(turn: ClaimedTurn, ending: Ending, channel: ChannelCapabilities): TurnRecord {
  const { outcome, reason, users, messages, spent = [], accounts = {}, compaction, park } = ending;
  const began = beginning(turn).map((envelope) =>
    envelope.kind === 'record' ? recordMessage(envelope) : userMessage(envelope, channel),
  );
  const { conversation } = turn.envelopes[0].client ?? {};
  return {
    v: 1,
    at: 0,
    turn: turn.id,
    outcome,
    inputs: [...turn.inputs],
    ...(conversation && { conversation }),
    messages: [...(users ?? began).map(keptMessage), ...messages.map(keptOf)],
    ...(spent.length > 0 && { usage: totalOf(spent), spent: [...spent] }),
    ...(Object.keys(accounts).length > 0 && { accounts }),
    ...(compaction ? { compaction } : {}),
    ...(park && { park: shownPark(park.parked) }),
    ...(reason === undefined ? {} : { reason }),
  };
}
