import { Injectable } from '@nestjs/common';
import { ChannelRegistry, Typing } from '#channels';
import {
  accountsOf,
  agentConfig,
  ConfigSource,
  DEFAULT_TENANT,
  defaultAgentOf,
  tenantConfig,
  tenantOfAccount,
  type Config,
} from '#config';
import type { Envelope, InboundEvent } from '#contracts';
import type { AgentId, TenantId } from '#kernel';
import { routeInbound } from '#routing';
import { Metrics } from '#telemetry';
import { MessageIntake } from '../messages/message-intake.js';
import { ControlReplies } from '../replies/control-replies.service.js';

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
    const { current } = this.config;
    const { lanes } = current;
    const { tenant, agent } = ownerOf(current, from);
    const envelope = routeInbound(event, { tenant, agent, watched: false, receivedAt: Date.now() });
    if (!envelope) return this.ignore(from);
    const done = await this.intake.command(envelope);
    if (!done) await this.accept(envelope, lanes.turns.quietMs);
    // A turn that runs says itself that it was stopped.
    else if (done.turn === null) await this.replies.reply(envelope, done.reply);
  }

  private async accept(envelope: Envelope, quietMs: number): Promise<void> {
    const { duplicate } = await this.intake.accept(envelope, quietMs);
    const shown = agentConfig(this.config.current, envelope.tenant, envelope.agent)?.typing;
    if (shown && !duplicate && envelope.kind === 'message') this.typing.once(envelope.target);
  }

  private ignore({ channel }: Account): void {
    this.metrics.inboundMessages.inc({ channel, outcome: 'ignored' });
  }
}

function ownerOf(config: Config, { channel, account }: Account): { tenant: TenantId; agent: AgentId } {
  const id = tenantOfAccount(config, channel, account) ?? DEFAULT_TENANT;
  const tenant = tenantConfig(config, id) ?? config;
  const agent =
    accountsOf(tenant).find((one) => one.channel === channel && one.account === account)?.agent ?? defaultAgentOf(tenant);
  return { tenant: id as TenantId, agent: agent as AgentId };
}
