import { Injectable } from '@nestjs/common';
import { ChannelRegistry, type Chunk, type OutboundChannel, type SendContext, type SendOutcome } from '#channels';
import { ConfigSource } from '#config';
import { conversationOf, Platform } from '#host';
import type { OutboxRow, Receipt, Target } from '#contracts';
import { backoffMs, checkpoint, TerminalError, withoutQuotes } from '#kernel';
import type { DeliveryState, SendLimits, SendPause } from '#lanes';
import { Redactor } from '#telemetry';
import { mayBeInFlight, parseProgress, started, waiting, type DeliveryProgress } from './delivery-progress.js';
import { sendInPlace } from './send-in-place.js';
import { tracedSend } from './traced-send.js';

/** rate: one of the account's. platform: it asked for it. retry: it failed. */
type HoldReason = 'rate' | 'platform' | 'retry';

/** What the dispatcher does next with a delivery. */
export type DeliveryResult =
  /** `progress`: what a replay by hand would begin with. */
  | { kind: 'final'; receipt: Receipt; progress: DeliveryState }
  /** Again later; `state` says how far it is, `pause` what the platform wants of all that share a rate. */
  | { kind: 'hold'; why: HoldReason; state: DeliveryState; ms: number; pause?: SendPause }
  /** The claim is not fresh enough to write under: claim again. `state` undefined leaves the receipt as it is. */
  | { kind: 'stale'; state: DeliveryState | undefined };

export interface DeliveryTry {
  row: OutboxRow;
  /** As it was when this claim took the delivery. */
  state: DeliveryState;
  /** Redis time, ms. */
  now: number;
  /** See SendContext. */
  sinceInboundMs?: number;
  signal: AbortSignal;
  /** Whether the claim was confirmed less than half a lock ago, by this host's monotonic clock (protocol 4). */
  isFresh: () => boolean;
  /** Stores the state of the receipt. @throws LeaseLostError */
  mark: (state: DeliveryState) => Promise<void>;
  /** The same before a further chunk, if the rates permit one: else nothing is stored. @returns ms to wait. @throws LeaseLostError */
  markNext: (state: DeliveryState) => Promise<number>;
}

/** Brings one row to its channel: chunk by chunk, by outcome class. The channel says what happened; what follows is decided here. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly source: ConfigSource,
    private readonly channels: ChannelRegistry,
    private readonly platform: Platform,
    private readonly redactor: Redactor,
  ) {}

  /** What holds for every send of a conversation; nothing, where its account is not configured here. */
  limitsOf(target: Target): SendLimits {
    const { lockMs, deliveries } = this.source.current.lanes;
    const { channel, account } = target;
    return { channel, account, rates: this.channels.rates(target), flightMs: lockMs / 2 + deliveries.requestTimeoutMs };
  }

  async deliver(attempt: DeliveryTry): Promise<DeliveryResult> {
    const { row, state, now } = attempt;
    const progress = parseProgress(state);
    const inDoubt = mayBeInFlight(state);
    if (now - row.at > this.source.current.lanes.deliveries.maxAgeMs)
      return this.final(attempt, progress, inDoubt ? 'unknown' : 'dead', 'expired', false);
    const channel = this.channelOf(row.target);
    if (!channel) return this.final(attempt, progress, 'dead', 'unknown_channel_account', false);
    const chunks = progress.chunks ?? channel.render(row);
    const flagged = inDoubt && !mayRepeat(channel, row);
    const facts = await this.factsOf(row);
    return this.sendAll(
      { ...attempt, ...facts },
      channel,
      { ...progress, ...(chunks.length > 1 ? { chunks } : {}) },
      chunks,
      flagged,
    );
  }

  /** What only some platforms make worth a question or a note. */
  private async factsOf(row: OutboxRow): Promise<Pick<SendContext, 'sinceInboundMs'>> {
    const { channel, account } = row.target;
    const { description, inbound } = this.channels.find(channel, account) ?? {};
    const conversation = conversationOf(row);
    const [sinceInboundMs] = await Promise.all([
      description?.replyWindowMs === undefined ? undefined : this.platform.replyWindows.sinceInbound(conversation),
      inbound?.reports && this.platform.sentRows.keep(conversation, row),
    ]);
    return sinceInboundMs === undefined ? {} : { sinceInboundMs };
  }

  private async sendAll(
    attempt: DeliveryTry,
    channel: OutboundChannel,
    progress: DeliveryProgress,
    chunks: readonly Chunk[],
    flagged: boolean,
  ): Promise<DeliveryResult> {
    const inDoubt = mayBeInFlight(attempt.state);
    let at = progress;
    for (let index = at.done.length; index < chunks.length; index = at.done.length) {
      const chunk = chunks[index];
      if (!chunk) break;
      const waitMs = await this.begin(attempt, at, chunks, index === progress.done.length);
      if (waitMs > 0) return { kind: 'hold', why: 'rate', state: waiting(at), ms: waitMs };
      const repeats = inDoubt && index === progress.done.length;
      if (attempt.signal.aborted || !attempt.isFresh()) return { kind: 'stale', state: repeats ? undefined : waiting(at) };
      checkpoint('dispatcher.before-send');
      const context = this.context(attempt, index, flagged && repeats);
      const outcome = await this.outcomeOf(attempt, () =>
        index === 0
          ? sendInPlace(channel, chunk, context, attempt.signal)
          : channel.send(attempt.row.target, chunk, context, attempt.signal),
      );
      checkpoint('dispatcher.sent');
      if (outcome.kind !== 'sent') return this.unsent(attempt, channel, at, outcome, { flagged, repeats });
      at = { ...at, done: [...at.done, outcome.platformId] };
    }
    return this.final(attempt, at, 'sent', undefined, flagged);
  }

  /** What a platform says of a send may quote it, text and token: people who look at what was given up read its words alone. */
  private async outcomeOf({ row }: DeliveryTry, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const outcome = await tracedSend(row.target, send);
    if (outcome.kind === 'sent') return outcome;
    return { ...outcome, reason: withoutQuotes(this.redactor.clean(outcome.reason), textsOf(row)) };
  }

  /** The take has marked the first chunk started and brought its permit; of several, each is marked, and the next ones ask. */
  private async begin(attempt: DeliveryTry, at: DeliveryProgress, chunks: readonly Chunk[], isFirst: boolean): Promise<number> {
    if (!isFirst) return attempt.markNext(started(at));
    if (chunks.length > 1) await attempt.mark(started(at));
    return 0;
  }

  private unsent(
    attempt: DeliveryTry,
    channel: OutboundChannel,
    progress: DeliveryProgress,
    outcome: Exclude<SendOutcome, { kind: 'sent' }>,
    doubt: { flagged: boolean; repeats: boolean },
  ): DeliveryResult {
    const { maxTries } = this.source.current.lanes.deliveries;
    // Only this try is proven unsent or not: an earlier one that is in doubt stays in doubt.
    const inDoubt = outcome.kind === 'unknown' || doubt.repeats;
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined;
    const tries = progress.tries + (retryAfterMs === undefined ? 1 : 0);
    const mayTryAgain = outcome.kind === 'retry' || (outcome.kind === 'unknown' && mayRepeat(channel, attempt.row));
    if (!mayTryAgain || tries >= maxTries) {
      const reason = mayTryAgain ? `given up after ${tries} tries: ${outcome.reason}` : outcome.reason;
      return this.final(attempt, progress, inDoubt ? 'unknown' : 'dead', reason, doubt.flagged);
    }
    const next = { ...progress, tries };
    const ms = Math.max(backoffMs(tries), retryAfterMs ?? 0);
    const held = { kind: 'hold', state: inDoubt ? started(next) : waiting(next), ms } as const;
    if (outcome.kind !== 'retry' || retryAfterMs === undefined) return { ...held, why: 'retry' };
    return { ...held, why: 'platform', pause: { scope: outcome.scope, ms: retryAfterMs } };
  }

  private final(
    { now }: DeliveryTry,
    progress: DeliveryProgress,
    state: Receipt['state'],
    reason: string | undefined,
    flagged: boolean,
  ): DeliveryResult {
    const { done } = progress;
    const untried = { ...progress, tries: 0 };
    return {
      kind: 'final',
      progress: state === 'unknown' ? started(untried) : waiting(untried),
      receipt: { state, platformIds: done, at: now, possibleDuplicate: flagged, ...(reason === undefined ? {} : { reason }) },
    };
  }

  private context({ row, sinceInboundMs }: DeliveryTry, index: number, possibleDuplicate: boolean): SendContext {
    return {
      row,
      ...(sinceInboundMs !== undefined && { sinceInboundMs }),
      idempotencyKey: `${row.replayOf ?? row.id}/${index}`,
      timeoutMs: this.source.current.lanes.deliveries.requestTimeoutMs,
      possibleDuplicate,
    };
  }

  private channelOf(target: Target): OutboundChannel | undefined {
    try {
      return this.channels.outbound(target);
    } catch (error) {
      if (error instanceof TerminalError) return undefined;
      throw error;
    }
  }
}

/** Whether a second copy of a request would change nothing: the platform drops it, or it is no new message. */
function mayRepeat({ capabilities }: OutboundChannel, { action }: OutboxRow): boolean {
  return capabilities.dedupe || action !== undefined;
}

function textsOf({ text, buttons = [], media = [] }: OutboxRow): string[] {
  return [text, ...buttons.map((button) => button.text), ...media.flatMap(({ caption }) => caption ?? [])];
}
