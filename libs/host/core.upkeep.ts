import { Inject, Injectable, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ConfigSource } from '#config';
import { describeError } from '#kernel';
import { Metrics, type Logger } from '#telemetry';
import { LOGGER } from './core.module.js';
import { Platform } from './core.platform.js';

const WAKE_MS = 1_000;

/** What every worker process does for all of them: wake what is due by the clock of Redis, and sweep in turn. */
@Injectable()
class LaneUpkeep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { sweepMs } = this.source.current.lanes;
    this.timers.push(setInterval(() => void this.quietly(() => this.wake()), WAKE_MS));
    this.timers.push(setInterval(() => void this.quietly(() => this.sweep(sweepMs)), sweepMs));
  }

  onModuleDestroy(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private async wake(): Promise<void> {
    await Promise.all([this.platform.turns.wakeDue(), this.platform.deliveries.wakeDue()]);
  }

  private async sweep(everyMs: number): Promise<void> {
    const { lockMs, stalledCheckMs } = this.source.current.lanes;
    // The work of a process that has just died is not stranded: it goes on when its locks have run out.
    const takenOverMs = lockMs + 2 * stalledCheckMs;
    const swept = await this.platform.sweeper.sweepInTurn(everyMs, Math.max(everyMs, 2 * takenOverMs));
    if (!swept) return;
    const { keys, ...found } = swept;
    for (const [what, count] of Object.entries(found)) if (count > 0) this.metrics.sweeperFound.inc({ what }, count);
    if (found.mail > 0 || found.rows > 0)
      this.logger.error({ found, keys }, 'The sweeper found stranded work: please report this');
  }

  /** The next round tries again. */
  private async quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.logger.debug({ error: describeError(error) }, 'Upkeep postponed'));
  }
}

@Module({ providers: [LaneUpkeep] })
export class LaneUpkeepModule {}
