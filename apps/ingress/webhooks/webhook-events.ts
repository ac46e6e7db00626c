import { Injectable } from '@nestjs/common';
import { ConfigSource, type ChannelsConfig } from '#config';
import type { InboundEvent } from '#contracts';
import type { AgentId, TenantId } from '#kernel';
import { routeInbound } from '#routing';
import { Metrics } from '#telemetry';
import { MessageIntake } from '../messages/message-intake.js';

/** The tenant of every chat channel account. */
const TENANT = 'default' as TenantId;

interface Account {
  channel: string;
  account: string;
}

/** Verified events of chat platforms, on their way into sessions. */
@Injectable()
export class WebhookEvents {
  constructor(
    private readonly intake: MessageIntake,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  /** Returned = stored, obeyed, or nothing for an agent to see. @throws like MessageIntake.accept; InvalidInputError for impossible ids */
  async take(event: InboundEvent, from: Account): Promise<void> {
    const { channels, lanes } = this.config.current;
    const agent = agentOf(channels, from) as AgentId;
    const envelope = routeInbound(event, { tenant: TENANT, agent, watched: false, receivedAt: Date.now() });
    if (!envelope) this.metrics.inboundMessages.inc({ channel: from.channel, outcome: 'ignored' });
    else if (!(await this.intake.command(envelope))) await this.intake.accept(envelope, lanes.turns.quietMs);
  }
}

function agentOf({ telegram, webhook }: ChannelsConfig, { channel, account }: Account): string {
  const accounts = channel === 'telegram' ? telegram.accounts : webhook.accounts;
  return accounts[account]?.agent ?? 'main';
}
