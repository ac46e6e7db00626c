import { Injectable } from '@nestjs/common';
import { agentConfig, ConfigSource, goneAgent, type AgentConfig } from '#config';
import type { Envelope, QueueMode } from '#contracts';
import { Sessions } from '#sessions';
import { RedisCalls } from '../http/redis-calls.js';
import { queueing } from '../messages/queueing.js';
import { sessionView, type SessionView } from '../messages/session-view.js';

/** What commands say of a session: its state, and what holds where its people chose nothing. */
@Injectable()
export class SessionFacts {
  constructor(
    private readonly sessions: Sessions,
    private readonly redis: RedisCalls,
    private readonly config: ConfigSource,
  ) {}

  async session({ session }: Envelope): Promise<SessionView> {
    return sessionView(await this.redis.within(() => this.sessions.state(session)));
  }

  agent({ tenant, agent }: Envelope): AgentConfig {
    return agentConfig(this.config.current, tenant, agent) ?? goneAgent;
  }

  queueMode(envelope: Envelope, { settings }: SessionView): QueueMode {
    return settings.queueMode ?? queueing(envelope, this.config.current).mode;
  }
}
