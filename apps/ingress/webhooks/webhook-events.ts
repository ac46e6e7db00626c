import { Injectable } from '@nestjs/common';
import { ChannelRegistry, Typing, type InboundAccount } from '#channels';
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
import { Commands } from '../commands/commands.service.js';
import { MessageIntake, type IntakeOptions } from '../messages/message-intake.js';
import { ControlReplies } from '../replies/control-replies.service.js';

/** Nobody is remembered for longer. */
const ONE_DAY_MS = 86_400_000;

/** Verified events of chat platforms, on their way into sessions. */
@Injectable()
export class WebhookEvents {
  private readonly typing: Typing;

  constructor(
    private readonly commands: Commands,
    private readonly intake: MessageIntake,
    private readonly replies: ControlReplies,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
    channels: ChannelRegistry,
  ) {
    this.typing = new Typing(channels);
  }

  /** Returned = each is stored, obeyed, or nothing for an agent to see. @throws like MessageIntake.accept; InvalidInputError for impossible ids */
  async take(events: readonly InboundEvent[], from: InboundAccount): Promise<void> {
    if (events.length === 0) this.ignore(from);
    // One after the other: their order is the order of the conversation.
    for (const event of events) await this.takeOne(event, from);
  }

  private async takeOne(event: InboundEvent, from: InboundAccount): Promise<void> {
    const { current } = this.config;
    const { lanes } = current;
    const { tenant, agent } = ownerOf(current, from);
    const envelope = routeInbound(event, { tenant, agent, watched: false, receivedAt: Date.now() });
    if (!envelope) return this.ignore(from);
    const idempotencyTtlMs = Math.min(from.inbound.retryWindowMs, ONE_DAY_MS);
    const read = await this.commands.read(envelope, idempotencyTtlMs);
    if (read.kind === 'message') await this.accept(read.envelope, { quietMs: lanes.turns.quietMs, idempotencyTtlMs });
    else if (read.kind === 'ignored') this.ignore(from);
    else if (!read.turnAnswers) await this.replies.reply(envelope, read.reply);
  }

  private async accept(envelope: Envelope, options: IntakeOptions): Promise<void> {
    const { duplicate } = await this.intake.accept(envelope, options);
    const shown = agentConfig(this.config.current, envelope.tenant, envelope.agent)?.typing;
    if (shown && !duplicate && envelope.kind === 'message') this.typing.once(envelope.target);
  }

  private ignore({ channel }: InboundAccount): void {
    this.metrics.inboundMessages.inc({ channel, outcome: 'ignored' });
  }
}

function ownerOf(config: Config, { channel, account }: InboundAccount): { tenant: TenantId; agent: AgentId } {
  const id = tenantOfAccount(config, channel, account) ?? DEFAULT_TENANT;
  const tenant = tenantConfig(config, id) ?? config;
  const agent =
    accountsOf(tenant).find((one) => one.channel === channel && one.account === account)?.agent ?? defaultAgentOf(tenant);
  return { tenant: id as TenantId, agent: agent as AgentId };
}
