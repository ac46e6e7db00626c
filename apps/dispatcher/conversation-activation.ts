import { Inject, Injectable } from '@nestjs/common';
import { Hooks } from '#agent';
import { ConfigSource } from '#config';
import { LOGGER, Platform } from '#host';
import type { OutboxRow, Receipt } from '#contracts';
import { checkpoint, LeaseLostError, systemClock, type ConversationKey, type SessionKey } from '#kernel';
import {
  DeliveryMailbox,
  type Claim,
  type ClaimEnd,
  type Delivery,
  type DeliveryState,
  type NextDelivery,
  type SendPause,
} from '#lanes';
import { conversationPlace } from '#routing';
import { Receipts } from '#sessions';
import { Metrics, TurnLog, type Logger } from '#telemetry';
import { DeliveryService, type DeliveryResult } from './delivery.service.js';
import { isFinal, mayBeInFlight, UNTRIED } from './delivery-progress.js';
import { tracedDelivery } from './traced-delivery.js';

const ROWS_AT_ONCE = 10;

/** Drains one claimed conversation, in order: a delivery that has to wait holds back the ones behind it. */
@Injectable()
export class ConversationActivation {
  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly deliveries: DeliveryService,
    private readonly metrics: Metrics,
    private readonly log: TurnLog,
    private readonly hooks: Hooks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(claim: Claim<ConversationKey>): Promise<ClaimEnd> {
    const { work, deliveries, keyspace, receiptTtlMs } = this.platform;
    const ages = { maxAgeMs: this.source.current.lanes.deliveries.maxAgeMs, receiptTtlMs };
    const mailbox = new DeliveryMailbox(
      work,
      deliveries,
      keyspace,
      ages,
      claim,
      this.deliveries.limitsOf(conversationPlace(claim.key)),
    );
    try {
      for (;;) {
        const end = await this.round(claim, mailbox);
        if (end) return end;
      }
    } catch (error) {
      if (!(error instanceof LeaseLostError)) throw error;
      this.metrics.leaseLost.inc({ lane: 'deliveries' });
      return { kind: 'done' };
    }
  }

  private async round(claim: Claim<ConversationKey>, mailbox: DeliveryMailbox): Promise<ClaimEnd | undefined> {
    const asked = systemClock.monotonic();
    const take = await mailbox.take(ROWS_AT_ONCE);
    switch (take.kind) {
      case 'superseded':
        throw new LeaseLostError(claim.key, 'take');
      case 'rolledBack':
        this.logger.warn({ conversation: claim.key }, 'Activation ids had gone back: raised');
        await this.platform.deliveries.raiseFloorAbove(claim.key, take.fence);
        await this.platform.deliveries.activate(claim.key);
        return { kind: 'done' };
      case 'tooEarly':
        if (take.isThrottled) this.throttled(conversationPlace(claim.key).channel, 'send', take.ms);
        return { kind: 'later', ms: take.ms };
      case 'released':
        return { kind: 'done' };
      case 'deliveries':
        return this.drain(new Confirmed(claim, mailbox, asked, this.source.current.lanes.lockMs), take.deliveries, take);
    }
  }

  /** @returns undefined when more may be waiting. */
  private async drain(
    held: Confirmed,
    deliveries: readonly Delivery[],
    first: Pick<NextDelivery, 'state' | 'now'>,
  ): Promise<ClaimEnd | undefined> {
    let { state, now } = first;
    for (const [index, delivery] of deliveries.entries()) {
      const result = await this.deliver(held, delivery.row, state, now);
      if (result.kind === 'stale') {
        if (result.state) await held.hold(delivery.row, result.state, 0);
        return undefined;
      }
      if (result.kind === 'hold') return this.hold(held, delivery.row, result);
      const following = deliveries[index + 1]?.row;
      const next = await this.finish(held, delivery, result.final, following);
      if (next.left === 0) return { kind: 'done' };
      if (following && next.waitMs > 0) return this.hold(held, following, { why: 'rate', state: next.state, ms: next.waitMs });
      ({ state, now } = next);
    }
    return undefined;
  }

  private async deliver(
    held: Confirmed,
    row: OutboxRow,
    state: DeliveryState,
    now: number,
  ): Promise<Exclude<DeliveryResult, { kind: 'final' }> | Ended> {
    if (isFinal(state)) return { kind: 'ended', final: state };
    if (state === UNTRIED) this.metrics.queueWait.observe({ lane: 'deliveries' }, Math.max(0, now - row.at) / 1000);
    const { claim } = held;
    const mark = (next: DeliveryState): Promise<void> => held.mark(row, next);
    const markNext = (next: DeliveryState): Promise<number> => held.markNext(row, next);
    const isFresh = (): boolean => held.isFresh;
    const attempt = { row, state, now, signal: claim.signal, isFresh, mark, markNext };
    const result = await tracedDelivery(
      row,
      () => this.deliveries.deliver(attempt),
      async (final) => {
        await this.keepLetter(row, state, final);
        this.tell(row, final.receipt);
      },
    );
    return result.kind === 'final' ? { kind: 'ended', final: Receipts.final(result.receipt) } : result;
  }

  /** The conversation waits, and its slot is free for others. */
  private async hold(held: Confirmed, row: OutboxRow, { why, state, ms, pause }: Hold): Promise<ClaimEnd> {
    if (why === 'rate') this.throttled(row.target.channel, 'send', ms);
    if (why === 'platform') this.throttled(row.target.channel, 'platform', ms, pause?.scope);
    await held.hold(row, state, ms, pause);
    checkpoint('dispatcher.held');
    return { kind: 'later', ms };
  }

  /** @param by the rate that the platform named */
  private throttled(channel: string, scope: 'send' | 'platform', ms: number, by: string = scope): void {
    this.metrics.outboundThrottled.inc({ channel, scope: by });
    this.metrics.rateLimitWait.observe({ scope }, ms / 1000);
  }

  /** The receipt becomes final, the next delivery is started, and the outbox of the session loses its row: one flight, mostly one call. */
  private async finish(
    held: Confirmed,
    delivery: Delivery,
    final: DeliveryState,
    next: OutboxRow | undefined,
  ): Promise<NextDelivery> {
    const { row, number } = delivery;
    const asked = systemClock.monotonic();
    const [acked] = await Promise.all([
      held.mailbox.ack(delivery, final, next),
      held.mailbox.ownsOutboxOf(row) ? undefined : this.platform.relay.done(row.session as SessionKey, number),
    ]);
    if (!acked) throw new LeaseLostError(held.claim.key, 'ack');
    held.confirmedAt = asked;
    checkpoint('dispatcher.acked');
    return acked;
  }

  /** Before the receipt is final: a death in between has the delivery tried again, and that may end otherwise. */
  private async keepLetter(row: OutboxRow, before: DeliveryState, { receipt, progress }: Final): Promise<void> {
    const { deadLetters } = this.platform;
    const { state, platformIds, reason = state, at } = receipt;
    if (state === 'sent') {
      if (mayBeInFlight(before)) await deadLetters.takeBack(row);
      return;
    }
    await deadLetters.add({ row, reason, state, progress, platformIds, at });
    checkpoint('dispatcher.given-up');
  }

  private tell(row: OutboxRow, receipt: Receipt): void {
    const { id, turn, session, tenant, mode, n, text, target } = row;
    const { channel } = target;
    const { state, platformIds, possibleDuplicate } = receipt;
    const message = { tenant, session, turn, channel, mode, sequenceInTurn: n, text };
    this.hooks.observe('message_sent', { ...message, state, platformIds, possibleDuplicate });
    this.metrics.outboundMessages.inc({ channel, kind: mode, outcome: receipt.state });
    if (receipt.possibleDuplicate) this.metrics.possibleDuplicates.inc();
    if (receipt.state !== 'sent') {
      this.metrics.deadLetters.inc({ queue: 'deliveries', reason: receipt.state });
      this.logger.error(
        { row: id, turnId: turn, session, channel, reason: receipt.reason, state: receipt.state },
        'Message given up',
      );
      return;
    }
    this.metrics.outboundDelay.observe(Math.max(0, receipt.at - row.at) / 1000);
    this.log.messageDelivered({
      turnId: turn,
      session,
      tenant,
      deliveryMode: mode,
      sequenceInTurn: n,
      text,
      channel,
      deliveredAt: receipt.at,
      platformIds,
      possibleDuplicate,
    });
  }
}

type Final = Extract<DeliveryResult, { kind: 'final' }>;
type Hold = Pick<Extract<DeliveryResult, { kind: 'hold' }>, 'why' | 'state' | 'ms' | 'pause'>;

/** The receipt says already, or says now, how it ended. */
type Ended = { kind: 'ended'; final: DeliveryState };

/** A claim, and when Redis last confirmed that it holds. */
class Confirmed {
  constructor(
    readonly claim: Claim<ConversationKey>,
    readonly mailbox: DeliveryMailbox,
    /** Monotonic ms at which the confirming command was sent. */
    public confirmedAt: number,
    private readonly lockMs: number,
  ) {}

  get isFresh(): boolean {
    return systemClock.monotonic() - this.confirmedAt < this.lockMs / 2;
  }

  async mark(row: OutboxRow, state: DeliveryState): Promise<void> {
    await this.confirm('mark', this.mailbox.mark(row, state));
  }

  /** @returns ms until the next chunk may have a permit; 0: it has one, and is marked. */
  async markNext(row: OutboxRow, state: DeliveryState): Promise<number> {
    const waitMs = this.mailbox.markNext(row, state);
    await this.confirm(
      'mark',
      waitMs.then((ms) => ms >= 0),
    );
    return waitMs;
  }

  async hold(row: OutboxRow, state: DeliveryState, ms: number, pause?: SendPause): Promise<void> {
    await this.confirm('hold', this.mailbox.hold(row, state, ms, pause));
  }

  private async confirm(what: string, written: Promise<boolean>): Promise<void> {
    const asked = systemClock.monotonic();
    if (!(await written)) throw new LeaseLostError(this.claim.key, what);
    this.confirmedAt = asked;
  }
}
