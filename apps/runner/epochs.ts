import { Injectable } from '@nestjs/common';
import { ConfigSource, tenantConfig } from '#config';
import { Platform } from '#host';
import { checkpoint } from '#kernel';
import { resetDue, resetRuleFor } from '#routing';
import { ClaimedSession } from '#sessions';
import { AgentParts } from './agent-parts.js';
import type { ClaimedTurn } from './claimed-turn.js';
import { TurnObservers } from './turn-observers.js';

/** Sessions that begin anew by themselves, by the day or after idling (RT-3). Costs nothing while none is due. */
@Injectable()
export class Epochs {
  private readonly observers: TurnObservers;

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    agents: AgentParts,
  ) {
    this.observers = new TurnObservers(agents.hooks);
  }

  /** The turn as the first of a new epoch, where its message came late enough; otherwise the same. Throws LeaseLostError. */
  async renewed(turn: ClaimedTurn): Promise<ClaimedTurn> {
    const reason = this.reasonFor(turn);
    if (!reason) return turn;
    const { archiveTtlMs } = this.sessionOf(turn);
    const session = new ClaimedSession(this.platform.work, this.platform.keyspace, turn.claim);
    const { begun } = await session.reset({ archiveTtlMs, settings: {} });
    checkpoint('runner.epoch-begun');
    if (begun) this.observers.epochBegan(turn, reason);
    return { ...turn, history: [] };
  }

  /** Only ahead of everything the turn does: what it has journalled belongs to the epoch it began in. */
  private reasonFor(turn: ClaimedTurn): 'daily' | 'idle' | undefined {
    const [{ kind, command, target, platform }] = turn.envelopes;
    const acceptedAt = turn.messages[0]?.acceptedAt;
    const hasBegun = turn.journal.some(({ k }) => k !== 'open' && k !== 'joined');
    if (kind !== 'message' || command || turn.cancelled || hasBegun || acceptedAt === undefined) return undefined;
    const chat = { channel: target.channel, chatType: platform.chatType, isThread: target.thread !== undefined };
    return resetDue(resetRuleFor(this.sessionOf(turn), chat), turn.epoch, acceptedAt);
  }

  private sessionOf({ envelopes: [{ tenant }] }: ClaimedTurn) {
    const { current } = this.source;
    return (tenantConfig(current, tenant) ?? current).session;
  }
}
