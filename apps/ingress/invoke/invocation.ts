import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource, goneAgent } from '#config';
import type { Envelope, TurnRecord } from '#contracts';
import { AnswerLease, Sessions, type LoggedEvent } from '#sessions';
import { BEGINNING, EventReader } from '../events/event-reader.js';
import { isBehind } from '../events/stream-id.js';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { MessageIntake } from '../messages/message-intake.js';
import { AnswerCollector, type TurnAnswer } from './turn-answer.js';
import { WaitBound } from './wait-bound.js';

/** On top of the longest turn: waiting for a place, and a take-over or two. */
const MORE_THAN_A_TURN_MS = 60_000;
/** Deliveries follow the end of their turn within moments, or not soon. */
const DELIVERIES_WITHIN_MS = 15_000;
/** A retry that comes later than this many turns is not recognised as answered. */
const TURNS_SEARCHED = 200;

export type InvocationStep = { event: LoggedEvent } | { answer: TurnAnswer };

/** Where a message's events begin, and what the reader knows. */
interface Reading {
  after: string;
  /** The client had everything up to here. */
  known: string;
  /** The turn had ended already: its events, where they are kept, end at `until`. */
  ended?: { record: TurnRecord; until: string };
}

/** One message and everything that becomes of it, from any replica. */
@Injectable()
export class Invocation {
  constructor(
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly events: EventReader,
    private readonly leases: AnswerLease,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  /**
   * Stores the message, then returns what becomes of it: its events, and at last the answer (none when the signal fires).
   * @param keyed the caller chose the message's idempotency key, so the same request may wait on another connection
   * @param lastEventId what a client that comes back had already
   * @param connection fires when the client has gone or the server stops
   * @throws UnavailableError, Problem 409 another connection waits for this answer, 422; the generator: Problem 504 when no turn has ended in time
   */
  async begin(
    envelope: Envelope,
    { keyed, lastEventId, connection }: { keyed: boolean; lastEventId?: string | undefined; connection: AbortSignal },
  ): Promise<AsyncGenerator<InvocationStep, void, void>> {
    const { session, id } = envelope;
    const lease = () => this.leases.take(session, id, lastEventId !== undefined, connection);
    // The end is asked before the message is stored: nothing of its turn is missed.
    const [now, busyMs] = await Promise.all([this.events.end(session), keyed ? this.redis.within(lease) : 0]);
    const { duplicate } = await this.intake.acceptKeyed(envelope);
    if (busyMs > 0) throw inFlight(busyMs);
    const known = lastEventId ?? BEGINNING;
    // Of a turn that runs already all events are read, also those the client had: they say which turn it is.
    const reading = duplicate ? { after: BEGINNING, known, ended: await this.endedTurn(envelope) } : { after: now, known };
    return this.steps(envelope, reading, connection);
  }

  private async *steps(
    envelope: Envelope,
    { after, known, ended }: Reading,
    signal: AbortSignal,
  ): AsyncGenerator<InvocationStep, void, void> {
    const collector = new AnswerCollector(
      envelope.session,
      envelope.id,
      ended !== undefined && ended.record.outcome !== 'parked',
    );
    using bound = new WaitBound(this.longestWait(envelope), signal);
    if (ended?.until === BEGINNING) return yield { answer: collector.answerOf(ended.record) };
    for await (const logged of this.events.follow(envelope.session, after, bound.signal)) {
      const isMine = collector.add(logged.event);
      if (isMine && isBehind(logged.id, known)) yield { event: logged };
      if (collector.isComplete) break;
      if (collector.hasEnded) bound.shorten(DELIVERIES_WITHIN_MS);
      else if (ended && !isBehind(ended.until, logged.id)) return yield { answer: collector.answerOf(ended.record) };
    }
    if (collector.hasEnded) yield { answer: collector.answer() };
    else if (!signal.aborted) yield { answer: collector.answerOf(await this.lateRecord(envelope)) };
  }

  private async endedTurn(envelope: Envelope): Promise<Reading['ended']> {
    const record = await this.recordOf(envelope);
    return record && { record, until: await this.events.end(envelope.session) };
  }

  /** The turn in which a message ended, or was parked. @throws UnavailableError */
  async recordOf({ session, id }: Pick<Envelope, 'session' | 'id'>): Promise<TurnRecord | undefined> {
    const records = await this.redis.within(() => this.sessions.transcript(session, TURNS_SEARCHED));
    return records.findLast(({ inputs }) => inputs.some((input) => input.id === id));
  }

  /** Events are best effort: the last word is the transcript's. */
  private async lateRecord(envelope: Envelope): Promise<TurnRecord> {
    const record = await this.recordOf(envelope);
    if (record) return record;
    const detail =
      'The turn still waits or runs. Send the same request with the same Idempotency-Key to wait on, or read the events of the session.';
    throw new Problem(504, 'still-running', detail);
  }

  private longestWait({ tenant, agent }: Envelope): number {
    const { maxTurnMs } = agentConfig(this.config.current, tenant, agent) ?? goneAgent;
    return maxTurnMs + MORE_THAN_A_TURN_MS;
  }
}

function inFlight(ms: number): Problem {
  const detail =
    'Another connection waits for the answer to this Idempotency-Key. Its answer is yours too; if that connection is lost, try again in a moment, or go on behind its last event with Last-Event-ID.';
  return new Problem(409, 'in-flight', detail, { headers: { 'retry-after': String(Math.ceil(ms / 1000)) } });
}
