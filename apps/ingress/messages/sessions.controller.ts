import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { Sessions } from '#sessions';
import { NamedSession } from '../access/named-session.js';
import type { SessionPlace } from '../access/session-access.js';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { MessageIntake } from './message-intake.js';
import { sessionView } from './session-view.js';

@Controller('api')
export class SessionsController {
  constructor(
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  @Get('sessions/:key')
  async state(@NamedSession() { key }: SessionPlace) {
    return { session: key, ...sessionView(await this.redis.within(() => this.sessions.state(key))) };
  }

  /** Where none runs, those that wait for a person. Works from any replica: the runner reads it at its next step, and is told at once (QU-3). */
  @Delete(['turns/current', 'sessions/:key/turns/current'])
  @HttpCode(202)
  async stopCurrent(@NamedSession() { key }: SessionPlace) {
    const { turn, parked } = await this.intake.cancel(key, { what: 'current' });
    const stopped = turn ?? parked[0];
    if (stopped === undefined)
      throw new Problem(
        404,
        'no-turn',
        'No turn runs or waits for a person in this session. DELETE .../queue cancels what waits.',
      );
    return { session: key, turn: stopped };
  }

  /** That one and no other, whether it runs, waits, or waits for a person. */
  @Delete(['turns/:turn', 'sessions/:key/turns/:turn'])
  @HttpCode(202)
  async stopTurn(@NamedSession() { key }: SessionPlace, @Param('turn') turn: string) {
    const { turn: stopped, waiting, parked } = await this.intake.cancel(key, { what: 'turn', turn });
    if (stopped === undefined && waiting === 0 && parked.length === 0)
      throw new Problem(404, 'no-turn', 'This turn neither runs nor waits in this session: it has ended, or never was here.');
    return { session: key, turn };
  }
}
