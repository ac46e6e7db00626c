import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ConfigSource } from '#config';
import { ControlSubscriber, LOGGER, Platform } from '#host';
import { LaneWorker } from '#lanes';
import type { SessionKey } from '#kernel';
import type { Logger } from '#telemetry';
import { Drain } from './drain.js';
import { RunningTurns } from './running-turns.js';
import { SessionActivation } from './session-activation.js';

/** Handing back needs this much of the grace: turns may finish in the rest of it. */
const HAND_BACK_MS = 2_000;

/** Fetches activations of the turns lane, and leaves in good order. */
@Injectable()
export class ActivationWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: LaneWorker<SessionKey> | undefined;

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly activation: SessionActivation,
    private readonly drain: Drain,
    private readonly running: RunningTurns,
    private readonly control: ControlSubscriber,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    control.onCancel((hint) => running.cancel(hint));
  }

  async onApplicationBootstrap(): Promise<void> {
    const { lockMs, stalledCheckMs, turns } = this.source.current.lanes;
    const { limits } = this.source.current;
    const { platform } = this;
    await platform.limits.configure(limits);
    await platform.admission.start(platform.turns.nonce, turns.concurrency);
    this.source.onChange(({ limits: changed }) => {
      platform.limits.configure(changed).catch((error: unknown) => this.logger.error({ err: error }, 'Limits not changed'));
    });
    const settings = { concurrency: turns.concurrency, lockMs, stalledCheckMs };
    this.worker = new LaneWorker(
      platform.turns,
      platform.work,
      platform.keyspace,
      settings,
      (claim) => this.activation.run(claim),
      (error) => this.logger.debug({ err: error }, 'Activation worker'),
    );
    await this.worker.ready();
  }

  /** Fetches nothing more; turns finish while the grace lasts, then they are handed back. */
  async beforeApplicationShutdown(): Promise<void> {
    this.drain.begin();
    const timer = setTimeout(() => this.drain.handBack(), Math.max(0, this.source.current.shutdown.graceMs - HAND_BACK_MS));
    await this.worker?.close();
    clearTimeout(timer);
  }
}
