import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryReport, InboundAccount } from '#channels';
import { LOGGER, Platform } from '#host';
import type { OutboxRowId, TenantId } from '#kernel';
import { conversationKey } from '#routing';
import { Metrics, type Logger } from '#telemetry';
import { Routes } from '../routing/routes.service.js';

/**
 * What platforms say of messages after they took them. A failure is as good as a send that was refused: it is logged,
 * and its row becomes a dead letter, which can be replayed.
 */
@Injectable()
export class DeliveryReports {
  constructor(
    private readonly platform: Platform,
    private readonly routes: Routes,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returned = seen to: a report that comes again changes nothing. */
  async take(reports: readonly DeliveryReport[], from: InboundAccount): Promise<void> {
    await Promise.all(reports.map((report) => this.takeOne(report, from)));
  }

  private async takeOne(report: DeliveryReport, { channel, account }: InboundAccount): Promise<void> {
    const { message, conversation, state, reason, idempotencyKey } = report;
    const [, id = '', part = ''] = /^(.+)\/(\d+)$/.exec(idempotencyKey ?? '') ?? [];
    const key = conversationKey(this.routes.tenantOf(channel, account) as TenantId, { channel, account, conversation });
    const news = id === '' ? 'forgotten' : await this.platform.sentRows.newsOf(key, id as OutboxRowId, part, state);
    if (news === 'known') return;
    const row = news === 'forgotten' ? undefined : news;
    // First the letter: a process that dies in between is told again.
    if (row && state === 'failed')
      await this.platform.deadLetters.add({
        row,
        reason: reason ?? state,
        state: 'dead',
        progress: 'q',
        platformIds: [message],
        at: 0,
      });
    if (row && !(await this.platform.sentRows.settle(key, id as OutboxRowId, part, state))) return;
    this.metrics.deliveryReports.inc({ channel, state });
    if (state === 'failed')
      this.tell(report, { channel, account, row: row?.id, turnId: row?.turn, session: row?.session, message });
  }

  private tell({ reason }: DeliveryReport, place: Record<string, string | undefined>): void {
    if (place['row'] !== undefined) this.metrics.deadLetters.inc({ queue: 'deliveries', reason: 'failed' });
    this.logger.error({ ...place, reason }, 'Message not delivered');
  }
}
