import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { Sessions } from '#sessions';
import type { Caller } from '../access/callers.js';
import { FromCaller } from '../access/route-access.js';
import { SessionAccess } from '../access/session-access.js';
import { Problem } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import { MessageIntake } from './message-intake.js';

@Controller('api')
export class SessionsController {
  constructor(
    private readonly access: SessionAccess,
    private readonly intake: MessageIntake,
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  @Get('sessions/:key')
  async state(@FromCaller() caller: Caller, @Param('key') named: string) {
    const { key } = this.access.resolve(caller, named);
    const { accepted, waiting, running } = await this.redis.within(() => this.sessions.state(key));
    return { session: key, accepted, waiting, running: running ?? null };
  }

  /** Works from any replica: the runner reads it at its next step, and is told at once (QU-3). */
  @Delete(['turns/current', 'sessions/:key/turns/current'])
  @HttpCode(202)
  async stopCurrent(@FromCaller() caller: Caller, @Param('key') named: string | undefined) {
    const { key } = this.access.resolve(caller, named);
    const { turn } = await this.intake.stopCurrent(key);
    if (turn === undefined)
      throw new Problem(404, 'no-turn', 'No turn runs in this session. Send /stop to drop what waits, too.');
    return { session: key, turn };
  }
}
