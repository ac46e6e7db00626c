import { Injectable } from '@nestjs/common';
import { ChannelRegistry, Typing } from '#channels';
import { ConfigSource, type ChannelsConfig } from '#config';
import type { Envelope, InboundEvent } from '#contracts';
import type { AgentId, TenantId } from '#kernel';
import { routeInbound } from '#routing';
import { Metrics } from '#telemetry';
import { MessageIntake } from '../messages/message-intake.js';
import { ControlReplies } from '../replies/control-replies.service.js';

/** The tenant of every chat channel account. */
const TENANT = 'default' as TenantId;

interface Account {
  channel: string;
  account: string;
}

/** Verified events of chat platforms, on their way into sessions. */
@Injectable()
export class WebhookEvents {
  private readonly typing: Typing;

  constructor(
    private readonly intake: MessageIntake,
    private readonly replies: ControlReplies,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
    channels: ChannelRegistry,
  ) {
    this.typing = new Typing(channels);
  }

  /** Returned = each is stored, obeyed, or nothing for an agent to see. @throws like MessageIntake.accept; InvalidInputError for impossible ids */
  async take(events: readonly InboundEvent[], from: Account): Promise<void> {
    if (events.length === 0) this.ignore(from);
    // One after the other: their order is the order of the conversation.
    for (const event of events) await this.takeOne(event, from);
  }

  private async takeOne(event: InboundEvent, from: Account): Promise<void> {
    const { channels, lanes } = this.config.current;
    const agent = agentOf(channels, from) as AgentId;
    const envelope = routeInbound(event, { tenant: TENANT, agent, watched: false, receivedAt: Date.now() });
    if (!envelope) return this.ignore(from);
    const done = await this.intake.command(envelope);
    if (!done) await this.accept(envelope, lanes.turns.quietMs);
    // A turn that runs says itself that it was stopped.
    else if (done.turn === null) await this.replies.reply(envelope, done.reply);
  }

  private async accept(envelope: Envelope, quietMs: number): Promise<void> {
    const { duplicate } = await this.intake.accept(envelope, quietMs);
    const { agents } = this.config.current;
    if (!duplicate && envelope.kind === 'message' && (agents[envelope.agent] ?? agents.main).typing)
      this.typing.once(envelope.target);
  }

  private ignore({ channel }: Account): void {
    this.metrics.inboundMessages.inc({ channel, outcome: 'ignored' });
  }
}

function agentOf({ telegram, webhook }: ChannelsConfig, { channel, account }: Account): string {
  const accounts: Record<string, Record<string, { agent: string }>> = { telegram: telegram.accounts, generic: webhook.accounts };
  return accounts[channel]?.[account]?.agent ?? 'main';
}
