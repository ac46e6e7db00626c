import type { Compaction } from '#agent';
import type { ChannelCapabilities } from '#channels';
import type { ChatMessage, OutboxRow, TurnOutcome, TurnRecord, Usage } from '#contracts';
import { checkpoint } from '#kernel';
import type { HandOver, NumberedRow, Relay } from '#lanes';
import type { ClaimedSession } from '#sessions';
import { dropped } from '#tools';
import { isMuted, messageIds, type ClaimedTurn } from './claimed-turn.js';
import { editMessage, userMessage } from './turn-messages.js';
import type { Send, TurnRows } from './turn-rows.js';
import { callOf, isFallBack, leavesAtEnd, type SessionTurnSends } from './turn-sends.js';

export interface Ending {
  outcome: TurnOutcome;
  reason?: string | undefined;
  /** Assistant and tool messages of the turn. */
  messages: ChatMessage[];
  /** What is still said: the answer, or a notice of ours. */
  say: { mode: 'final' | 'notice'; text: string } | undefined;
  usage?: Usage | undefined;
  /** What the next turn reads instead of the oldest ones. */
  compaction?: Compaction | undefined;
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
    private readonly channel: ChannelCapabilities,
  ) {}

  /** Throws LeaseLostError; UnavailableError when the rows could not be relayed: the next claim relays them. */
  async end(ending: Ending): Promise<Committed> {
    const { turn } = this;
    await this.sends.settled();
    const all = this.sends.all;
    const waiting = all.filter((send) => leavesAtEnd(send, this.channel.immediateSend));
    // Batched sends of a turn that did not come to its end are dropped; the record says why (trap T5).
    const answered = ending.outcome === 'answered';
    const batched = answered ? waiting : [];
    const rows = isMuted(turn) ? [] : this.rows.last(batched, ending.say, this.sends.nextSequence, this.channel);
    const messages = answered ? ending.messages : withDropped(ending.messages, waiting);
    const record = recordOf(turn, { ...ending, messages });
    const sent = all.filter((send) => !waiting.includes(send)).map((send) => this.rows.row(send).id);
    const [envelope] = turn.envelopes;
    const handOver = this.relay.handOver(turn.claim.key, rows);
    checkpoint('runner.before-commit');
    const stored = await this.session.commit({
      turn: turn.id,
      ids: messageIds(turn),
      record,
      rows,
      handOver,
      lastEvent: envelope.watched
        ? {
            type: 'turn.end',
            turn: turn.id,
            outcome: ending.outcome,
            ...(ending.reason === undefined ? {} : { reason: ending.reason }),
            messages: messageIds(turn),
            rows: [...sent, ...rows.map(({ id }) => id)],
            text: ending.say?.text ?? '',
          }
        : undefined,
    });
    checkpoint('runner.after-commit');
    const relayed = await this.relayed(stored, handOver);
    checkpoint('runner.after-relay');
    return {
      record,
      relayed: relayed ?? this.sends.relayed,
      said: rows.filter(({ mode }) => mode === 'final' || mode === 'notice'),
      immediateCount: all.filter(({ mode }) => mode === 'immediate').length - all.filter(isFallBack).length,
      batchedCount: batched.filter(({ mode }) => mode === 'batched').length,
    };
  }

  /** Nothing is stored by a commit that was made before: the next take has its rows. */
  private async relayed(stored: readonly NumberedRow[], handOver: HandOver | undefined): Promise<number | undefined> {
    if (!handOver) return this.relay.relay(stored);
    if (stored.length > 0) await this.relay.wake(handOver);
    return stored.at(-1)?.number;
  }
}

/** The results of calls whose send was dropped say so; their keys are call ids. */
function withDropped(messages: ChatMessage[], sends: readonly Send[]): ChatMessage[] {
  const calls = new Set(sends.map(({ key }) => callOf(key)));
  return messages.map((message) =>
    message.role === 'tool' && calls.has(message.callId) ? { ...message, ...dropped() } : message,
  );
}

function recordOf(turn: ClaimedTurn, { outcome, reason, messages, usage, compaction }: Ending): TurnRecord {
  const users = turn.envelopes.map((envelope) => (envelope.kind === 'record' ? editMessage(envelope) : userMessage(envelope)));
  return {
    v: 1,
    at: 0,
    turn: turn.id,
    outcome,
    inputs: turn.messages.map(({ id, seq }, index) => ({
      id,
      seq,
      sender: turn.envelopes[index]?.sender.id ?? '',
      at: turn.envelopes[index]?.at ?? 0,
    })),
    messages: [...users, ...messages],
    ...(usage ? { usage } : {}),
    ...(compaction ? { compaction } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}
