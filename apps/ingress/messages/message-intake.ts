import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { Envelope } from '#contracts';
import { ControlPublisher, Platform } from '#host';
import { UnavailableError, type SessionKey } from '#kernel';
import { Sessions, type Accepted, type AskedBy, type Cancelled, type CancelRequest } from '#sessions';
import { Metrics } from '#telemetry';
import { keyReused } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { ParkAnswers } from '../parks/park-answers.service.js';
import { queueing } from './queueing.js';

export interface IntakeOptions {
  /** How long the message is recognised when it comes again; default lanes.idempotencyTtlMs. */
  idempotencyTtlMs?: number;
}

export interface Stopped extends Cancelled {
  /** Turns that waited for a person, and are to end. */
  parked: readonly string[];
}

/** The one way of messages and of stops into the sessions, whatever brought them. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly sessions: Sessions,
    private readonly platform: Platform,
    private readonly publisher: ControlPublisher,
    private readonly parks: ParkAnswers,
    private readonly redis: RedisCalls,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  /**
   * Returned = stored (IN-3). A duplicate gets the first answer, whatever it says: the id of a platform is its word, and a
   * webhook that is refused would come again and again.
   * @throws UnavailableError nothing was acknowledged; MessageRefused
   */
  async accept(envelope: Envelope, options: IntakeOptions = {}): Promise<Accepted> {
    const { channel } = envelope.target;
    try {
      const accepted = await this.store(envelope, options);
      this.metrics.inboundMessages.inc({ channel, outcome: accepted.duplicate ? 'duplicate' : 'accepted' });
      if (accepted.duplicate) this.metrics.inboundDedup.inc();
      return accepted;
    } catch (error) {
      this.metrics.inboundMessages.inc({ channel, outcome: error instanceof UnavailableError ? 'unavailable' : 'refused' });
      throw error;
    }
  }

  /** Of callers who choose the idempotency key themselves. @throws like accept; Problem 422 the key came with another message before */
  async acceptKeyed(envelope: Envelope): Promise<Accepted> {
    const accepted = await this.accept(envelope);
    if (accepted.sameMessage) return accepted;
    throw keyReused();
  }

  /**
   * Stores a cancel, and tells the runner at once. What waits for a person ends with everything else, by its name, or where
   * nothing runs that could be meant instead. @param askedBy the same control message again cancels nothing that came since
   * @throws UnavailableError; Problem 422 the key came with another message before
   */
  async cancel(session: SessionKey, request: CancelRequest, askedBy?: AskedBy): Promise<Stopped> {
    const cancelled = await this.redis.within(() => this.sessions.cancel(session, request, askedBy));
    if (!cancelled.sameMessage) throw keyReused();
    const { turn, waiting, at } = cancelled;
    // Said again when it is repeated: who asked first may have died before.
    if (turn !== undefined) this.publisher.cancel({ session, turn });
    // Last: a turn that was about to be parked has either seen the cancel, or is among the parked ones.
    const meansParked = request.what === 'all' || (turn === undefined && waiting === 0);
    return { ...cancelled, parked: meansParked ? await this.cancelParked(session, request, at) : [] };
  }

  private async cancelParked(session: SessionKey, request: CancelRequest, until: number): Promise<string[]> {
    if (request.what === 'waiting' || request.what === 'message') return [];
    return this.parks.cancel(session, until, request.what === 'turn' ? request.turn : undefined);
  }

  private async store(envelope: Envelope, options: IntakeOptions): Promise<Accepted> {
    if (this.platform.memory.nearlyFull) {
      this.metrics.shed.inc();
      throw new UnavailableError('Redis is nearly full');
    }
    const rules = { ...queueing(envelope, this.config.current), ...options };
    const accepted = await this.redis.within(() => this.sessions.accept(envelope, rules));
    const { stops } = accepted;
    if (stops) this.publisher.cancel({ session: envelope.session, turn: stops, why: 'interrupted' });
    return accepted;
  }
}
