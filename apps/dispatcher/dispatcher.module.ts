import { Module, type DynamicModule } from '@nestjs/common';
import { Hooks } from '#agent';
import { LOGGER, reportHookFailures } from '#host';
import { Metrics, type Logger } from '#telemetry';
import { ConversationActivation } from './conversation-activation.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryWorker } from './delivery.worker.js';

/** Brings outbox rows to their channels. Needs CoreModule. */
@Module({})
export class DispatcherModule {
  static forRoot(hooks = new Hooks()): DynamicModule {
    return {
      module: DispatcherModule,
      providers: [
        {
          provide: Hooks,
          useFactory(metrics: Metrics, logger: Logger) {
            reportHookFailures(hooks, metrics, logger);
            return hooks;
          },
          inject: [Metrics, LOGGER],
        },
        DeliveryService,
        ConversationActivation,
        DeliveryWorker,
      ],
    };
  }
}
