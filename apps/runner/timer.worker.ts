import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ConfigSource } from '#config';
import { envelopeSchema } from '#contracts';
import { Platform } from '#host';

/** Puts envelopes whose time has come into their sessions: parks that nobody answered. */
@Injectable()
export class TimerWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stop: (() => Promise<void>) | undefined;

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
  ) {}

  onApplicationBootstrap(): void {
    const { timers, sessions } = this.platform;
    this.stop = timers.start(async ({ envelope }) => {
      const { idempotencyTtlMs } = this.source.current.lanes;
      await sessions.accept(envelopeSchema.parse(JSON.parse(envelope)), { idempotencyTtlMs, quietMs: 0, flush: true });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stop?.();
  }
}
