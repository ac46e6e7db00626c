import { Inject, Injectable } from '@nestjs/common';
import { answering, ChannelRegistry, Typing, type InboundAccount } from '#channels';
import { agentConfig, ConfigSource } from '#config';
import type { Envelope, InboundEvent } from '#contracts';
import { LOGGER, Platform } from '#host';
import { MessageRefused } from '#lanes';
import { conversationKey, routeInbound } from '#routing';
import { Metrics, type Logger } from '#telemetry';
import { Commands } from '../commands/commands.service.js';
import { MessageIntake, type IntakeOptions } from '../messages/message-intake.js';
import { ControlReplies } from '../replies/control-replies.service.js';
import { Routes } from '../routing/routes.service.js';
import { SenderAccess } from '../senders/sender-access.service.js';

const REFUSALS: Record<MessageRefused['reason'], string> = {
  busy: 'I am still at work on your last message and did not take this one. Please send it again when I have answered.',
  full: 'Too many messages wait here already: I do not take any more until I have answered some.',
};

/** Nobody is remembered for longer. */
const ONE_DAY_MS = 86_400_000;

/** Verified events of chat platforms, on their way into sessions. */
@Injectable()
export class WebhookEvents {
  private readonly typing: Typing;

  constructor(
    private readonly access: SenderAccess,
    private readonly commands: Commands,
    private readonly intake: MessageIntake,
    private readonly replies: ControlReplies,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
    private readonly routes: Routes,
    private readonly platform: Platform,
    @Inject(LOGGER) private readonly logger: Logger,
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
    const router = this.routes.ofAccount(from.channel, from.account);
    const routed = routeInbound(event, router, { watched: false, receivedAt: Date.now() });
    if (!routed) return this.ignore(from);
    const { envelope, route } = routed;
    this.logger.debug({ ...route, messageId: envelope.id }, 'Routed');
    const [admitted] = await Promise.all([this.access.admits(event, envelope), this.noteArrival(event, envelope, from)]);
    if (!admitted) return;
    const idempotencyTtlMs = Math.min(from.description.retryWindowMs, ONE_DAY_MS);
    const read = await this.commands.read(envelope, idempotencyTtlMs);
    if (read.kind === 'message') await this.accept(read.envelope, { idempotencyTtlMs });
    else if (read.kind === 'ignored') this.ignore(from);
    else if (!read.turnAnswers) await this.replies.reply(envelope, read.reply);
  }

  /** Where a channel may answer for so long only. A reaction opens nothing. */
  private async noteArrival(
    event: InboundEvent,
    { tenant, target, at }: Envelope,
    { description }: InboundAccount,
  ): Promise<void> {
    if (description.replyWindowMs === undefined || event.kind === 'reaction') return;
    await this.platform.replyWindows.cameIn(conversationKey(tenant, target), Date.now() - at);
  }

  /** A status tells nobody in a chat to try again: a person reads why. */
  private async accept(envelope: Envelope, options: IntakeOptions): Promise<void> {
    try {
      await this.store(envelope, options);
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error;
      if (error.tell) await this.replies.reply(envelope, REFUSALS[error.reason]);
    }
  }

  private async store(envelope: Envelope, options: IntakeOptions): Promise<void> {
    const { duplicate } = await this.intake.accept(envelope, options);
    const shown = agentConfig(this.config.current, envelope.tenant, envelope.agent)?.typing;
    if (shown && !duplicate && envelope.kind === 'message') this.typing.once(answering(envelope));
  }

  private ignore({ channel }: InboundAccount): void {
    this.metrics.inboundMessages.inc({ channel, outcome: 'ignored' });
  }
}
