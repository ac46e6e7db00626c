import { Injectable } from '@nestjs/common';
import { ConfigSource } from '#config';
import type { Envelope } from '#contracts';
import { ControlPublisher, Platform } from '#host';
import { UnavailableError, type SessionKey } from '#kernel';
import { Sessions, type Accepted, type AskedBy, type Cancelled, type CancelRequest } from '#sessions';
import { Metrics } from '#telemetry';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';

export interface IntakeOptions {
  /** How long the session waits for more of the same sender; default 0. */
  quietMs?: number;
  /** How long the message is recognised when it comes again; default lanes.idempotencyTtlMs. */
  idempotencyTtlMs?: number;
}

/** The one way of messages and of stops into the sessions, whatever brought them. */
@Injectable()
export class MessageIntake {
  constructor(
    private readonly sessions: Sessions,
    private readonly platform: Platform,
    private readonly publisher: ControlPublisher,
    private readonly redis: RedisCalls,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  /**
   * Returned = stored (IN-3). A duplicate gets the first answer, whatever it says: the id of a platform is its word, and a
   * webhook that is refused would come again and again.
   * @throws UnavailableError nothing was acknowledged
   */
  async accept(envelope: Envelope, options: IntakeOptions = {}): Promise<Accepted> {
    const { channel } = envelope.target;
    try {
      const accepted = await this.store(envelope, options);
      this.metrics.inboundMessages.inc({ channel, outcome: accepted.duplicate ? 'duplicate' : 'accepted' });
      if (accepted.duplicate) this.metrics.inboundDuplicates.inc();
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
    throw new Problem(422, 'idempotency-key-reused', 'This Idempotency-Key came with another message before. Use a new key.');
  }

  /** Stores a cancel, and tells the runner at once. @param askedBy the same control message again does nothing */
  async cancel(session: SessionKey, request: CancelRequest, askedBy?: AskedBy): Promise<Cancelled> {
    const cancelled = await this.redis.within(() => this.sessions.cancel(session, request, askedBy));
    if (cancelled.turn !== undefined && !cancelled.repeated) this.publisher.cancel({ session, turn: cancelled.turn });
    return cancelled;
  }

  private async store(envelope: Envelope, { quietMs = 0, ...options }: IntakeOptions): Promise<Accepted> {
    if (this.platform.memory.nearlyFull) {
      this.metrics.shed.inc();
      throw new UnavailableError('Redis is nearly full');
    }
    const { idempotencyTtlMs } = this.config.current.lanes;
    const flush = quietMs === 0 || envelope.media.length > 0;
    return this.redis.within(() =>
      this.sessions.accept(envelope, { idempotencyTtlMs, ...options, quietMs: flush ? 0 : quietMs, flush }),
    );
  }
}
