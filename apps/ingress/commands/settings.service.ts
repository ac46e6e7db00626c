import { Injectable } from '@nestjs/common';
import type { SessionSettings, SettingsPatch } from '#contracts';
import { Sessions } from '#sessions';
import { keyReused } from '../http/problem.js';
import { RedisCalls } from '../http/redis-calls.js';
import type { AskedCommand } from './control-command.js';

/** Changes the settings of the session a command came from; the command that comes again changes nothing back. */
@Injectable()
export class SettingsService {
  constructor(
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
  ) {}

  async read({ envelope: { session } }: AskedCommand): Promise<SessionSettings> {
    return this.redis.within(() => this.sessions.settings(session));
  }

  /** @throws Problem 422 the key of the command came with another message before */
  async change({ envelope: { session }, askedBy }: AskedCommand, patch: SettingsPatch): Promise<SessionSettings> {
    const changed = await this.redis.within(() => this.sessions.changeSettings(session, patch, askedBy));
    if (!changed) throw keyReused();
    return changed;
  }
}
