import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ConfigSource } from '#config';
import { LOGGER, Platform } from '#host';
import type { ConversationKey } from '#kernel';
import { LaneWorker } from '#lanes';
import type { Logger } from '#telemetry';
import { ConversationActivation } from './conversation-activation.js';

/** Fetches activations of the deliveries lane. A send takes seconds at most, so leaving waits for the ones under way. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: LaneWorker<ConversationKey> | undefined;

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly activation: ConversationActivation,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { lockMs, stalledCheckMs, deliveries } = this.source.current.lanes;
    const { platform } = this;
    const settings = { concurrency: deliveries.concurrency, lockMs, stalledCheckMs };
    this.worker = new LaneWorker(
      platform.deliveries,
      platform.work,
      platform.keyspace,
      settings,
      (claim) => this.activation.run(claim),
      (error) => this.logger.debug({ err: error }, 'Delivery worker'),
    );
    await this.worker.ready();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.close();
  }
}
