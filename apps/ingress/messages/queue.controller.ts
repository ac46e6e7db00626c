import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { MessageId } from '#kernel';
import { Sessions } from '#sessions';
import { NamedSession } from '../access/named-session.js';
import type { SessionPlace } from '../access/session-access.js';
import { Problem } from '../http/problem.js';
import { Input } from '../http/read-input.js';
import { RedisCalls } from '../http/redis-calls.js';
import { MessageIntake } from './message-intake.js';

const listSchema = z.strictObject({ first: z.coerce.number().int().min(1).max(500).default(50) });

/** What waits in a session, seen and cancelled from any replica (QU-3, QU-6). */
@Controller('api')
export class QueueController {
  constructor(
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  @Get(['queue', 'sessions/:key/queue'])
  async list(@NamedSession() { key }: SessionPlace, @Query(new Input(listSchema)) { first }: { first: number }) {
    const { now, running, waiting, queue } = await this.redis.within(() => this.sessions.state(key, first));
    return {
      session: key,
      running: running ? { turnId: running.turn, since: running.since, ageMs: now - running.since } : null,
      waiting,
      messages: queue.map(({ id, acceptedAt }, index) => ({
        position: index + 1,
        messageId: id,
        acceptedAt,
        ageMs: now - acceptedAt,
      })),
    };
  }

  @Delete(['queue', 'sessions/:key/queue'])
  @HttpCode(202)
  async cancelAll(@NamedSession() { key }: SessionPlace) {
    const { waiting } = await this.intake.cancel(key, { what: 'waiting' });
    return { session: key, cancelled: waiting };
  }

  @Delete(['queue/:message', 'sessions/:key/queue/:message'])
  @HttpCode(202)
  async cancelOne(@NamedSession() { key }: SessionPlace, @Param('message') message: string) {
    const { waiting } = await this.intake.cancel(key, { what: 'message', id: message as MessageId });
    if (waiting > 0) return { session: key, messageId: message };
    const detail =
      'No message with this id waits here: its turn runs or has ended, or it is not of this session. A running turn is';
    throw new Problem(404, 'not-waiting', `${detail} stopped with DELETE .../turns/<turnId>.`);
  }
}
