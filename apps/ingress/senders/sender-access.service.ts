import { Injectable } from '@nestjs/common';
import { BotLoopGuard, GroupHistory, Pairings } from '#access';
import { accountAccess, ConfigSource } from '#config';
import type { Envelope, InboundEvent } from '#contracts';
import { conversationKey, botPolicy, judgeAccess, type AccessFacts, type AccessPolicy, type AccessVerdict } from '#routing';
import { assertNever } from '#kernel';
import { Sessions } from '#sessions';
import { Metrics } from '#telemetry';
import { ControlReplies } from '../replies/control-replies.service.js';
import { BOTS_TALKED_ENOUGH, pairingPrompt } from './sender-words.js';

/** One event on its way in, and where it would go. */
interface Arrival {
  event: InboundEvent;
  envelope: Envelope;
  policy: AccessPolicy;
}

/** Who is heard (IN-8): looks up what the policy asks for, and does what it decides. */
@Injectable()
export class SenderAccess {
  constructor(
    private readonly pairings: Pairings,
    private readonly history: GroupHistory,
    private readonly bots: BotLoopGuard,
    private readonly sessions: Sessions,
    private readonly replies: ControlReplies,
    private readonly metrics: Metrics,
    private readonly config: ConfigSource,
  ) {}

  /**
   * true: the message may go into its session. false: it was ignored, kept for later, or answered with a pairing code; nothing else
   * of it has any effect. Rejects like the connection does: nothing was acknowledged, and the event may come again.
   */
  async admits(event: InboundEvent, envelope: Envelope): Promise<boolean> {
    const policy = accountAccess(this.config.current, envelope.tenant, event.channel, event.account);
    const arrival = { event, envelope, policy };
    const verdict = await this.judge(arrival);
    if (verdict.kind === 'admit' || verdict.kind === 'remember') await this.heardPerson(arrival);
    return this.obey(verdict, arrival);
  }

  private async judge(arrival: Arrival): Promise<Exclude<AccessVerdict, { kind: 'ask' }>> {
    let facts: AccessFacts = {};
    for (;;) {
      const verdict = judgeAccess(arrival.event, arrival.policy, facts);
      if (verdict.kind !== 'ask') return verdict;
      facts = { ...facts, ...(await this.look(verdict.fact, arrival)) };
    }
  }

  private async look(fact: keyof AccessFacts, { event, envelope }: Arrival): Promise<AccessFacts> {
    switch (fact) {
      case 'paired':
        return { paired: await this.pairings.isApproved(placeOf(envelope), event.sender.id) };
      case 'activation':
        return { activation: (await this.sessions.settings(envelope.session)).activation ?? null };
      case 'botBudget':
        return { botBudget: await this.bots.charge(talkOf(envelope), event.sender.id, envelope.id) };
      default:
        return assertNever(fact);
    }
  }

  private async obey(verdict: Exclude<AccessVerdict, { kind: 'ask' }>, { event, envelope }: Arrival): Promise<boolean> {
    switch (verdict.kind) {
      case 'admit':
        return true;
      case 'remember':
        await this.remember(envelope, verdict.most);
        return this.ignored(event, 'not-mentioned');
      case 'pair':
        return this.meet(event, envelope);
      case 'endTalk':
        await this.replies.reply(envelope, BOTS_TALKED_ENOUGH);
        return this.ignored(event, 'bot-loop');
      case 'ignore':
        return this.ignored(event, verdict.reason);
      default:
        return assertNever(verdict);
    }
  }

  /** A stranger gets a code, once; nobody else's place is taken by asking often. */
  private async meet(event: InboundEvent, envelope: Envelope): Promise<boolean> {
    const { sender } = event;
    const stranger = { sender: sender.id, name: sender.name, message: envelope.id };
    const knock = await this.pairings.request(placeOf(envelope), stranger);
    if (knock.kind === 'approved') return true;
    if (knock.kind === 'code') await this.replies.reply(envelope, pairingPrompt(knock.code));
    return this.ignored(event, knock.kind === 'full' ? 'pairing-full' : 'not-paired');
  }

  private async remember({ session, id, sender, text, media }: Envelope, most: number): Promise<void> {
    const said = [text, ...media.map(({ type }) => `[${type}]`)].filter(Boolean).join(' ');
    if (said) await this.history.remember(session, id, { from: sender.name ?? sender.id, text: said }, most);
  }

  /** Where bots are heard, a person who speaks lets them go on. */
  private async heardPerson({ event, envelope, policy }: Arrival): Promise<void> {
    if (event.sender.isBot || botPolicy(event, policy) === 'ignore') return;
    await this.bots.reset(talkOf(envelope));
  }

  private ignored({ channel }: InboundEvent, reason: string): false {
    this.metrics.inboundMessages.inc({ channel, outcome: 'ignored' });
    this.metrics.inboundIgnored.inc({ channel, reason });
    return false;
  }
}

const placeOf = ({ tenant, target: { channel, account } }: Envelope) => ({ tenant, channel, account });
const talkOf = ({ tenant, target }: Envelope) => conversationKey(tenant, target);
