import { Injectable } from '@nestjs/common';
import type { SessionKey } from '#kernel';
import { EventLog, type LoggedEvent } from '#sessions';
import { RedisCalls } from '../http/redis-calls.js';
import { FenceFilter } from './fence-filter.js';

/** Before the first event. */
export const BEGINNING = '0-0';

/** Reads a session's events without those of superseded attempts. */
@Injectable()
export class EventReader {
  constructor(
    private readonly log: EventLog,
    private readonly redis: RedisCalls,
  ) {}

  /** Where the stream ends now. @throws UnavailableError */
  async end(session: SessionKey): Promise<string> {
    return this.redis.within(() => this.log.cursor(session));
  }

  /** What comes behind `after`, until the signal fires. */
  async *follow(session: SessionKey, after: string, signal: AbortSignal): AsyncGenerator<LoggedEvent, void, void> {
    const fences = new FenceFilter();
    for await (const logged of this.log.follow(session, after, signal)) if (fences.accepts(logged.event)) yield logged;
  }
}
