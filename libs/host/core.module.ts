import { Global, Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ChannelRegistry } from '#channels';
import { ConfigSource } from '#config';
import { BusySessions, FleetLimits } from '#lanes';
import { EventLog, Receipts, Sessions } from '#sessions';
import { Metrics, Redactor, TurnLog } from '#telemetry';
import { ControlPublisher } from './control-publisher.js';
import { ControlSubscriber } from './control-subscriber.js';
import type { AppParts } from './core.parts.js';
import { Platform } from './core.platform.js';

/** Injection token of the process's logger (an interface has no value to inject by). */
export const LOGGER = Symbol('logger');

/** What every app is built on, opened before Nest and closed after it. */
@Global()
@Module({})
export class CoreModule implements OnApplicationShutdown {
  constructor(private readonly platform: Platform) {}

  static forRoot({ source, logger, redactor, metrics, platform, channels, publisher, subscriber }: AppParts): DynamicModule {
    const providers: Provider[] = [
      { provide: ConfigSource, useValue: source },
      { provide: LOGGER, useValue: logger },
      { provide: Redactor, useValue: redactor },
      { provide: Metrics, useValue: metrics },
      { provide: TurnLog, useValue: new TurnLog(logger, { content: source.current.log.content }) },
      { provide: Platform, useValue: platform },
      { provide: Sessions, useValue: platform.sessions },
      { provide: EventLog, useValue: platform.events },
      { provide: Receipts, useValue: platform.receipts },
      { provide: BusySessions, useValue: platform.busy },
      { provide: FleetLimits, useValue: platform.limits },
      { provide: ChannelRegistry, useValue: channels },
      { provide: ControlPublisher, useValue: publisher },
      { provide: ControlSubscriber, useValue: subscriber },
    ];
    return { module: CoreModule, providers, exports: providers };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.platform.close();
  }
}
