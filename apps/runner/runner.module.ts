import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigSource } from '#config';
import { LOGGER, reportHookFailures } from '#host';
import { Metrics, type Logger } from '#telemetry';
import { ActivationWorker } from './activation.worker.js';
import { engineFailures } from './agent-context.js';
import { AgentParts, type AgentExtras } from './agent-parts.js';
import { Drain } from './drain.js';
import { RunningTurns } from './running-turns.js';
import { SessionActivation } from './session-activation.js';
import { TurnService } from './turn.service.js';

/** Executes turns. Needs CoreModule. */
@Module({})
export class RunnerModule {
  static forRoot(extras: AgentExtras = {}): DynamicModule {
    return {
      module: RunnerModule,
      providers: [
        {
          provide: AgentParts,
          useFactory(source: ConfigSource, metrics: Metrics, logger: Logger) {
            const parts = AgentParts.from(source.current, extras, engineFailures(metrics, logger));
            reportHookFailures(parts.hooks, metrics, logger);
            return parts;
          },
          inject: [ConfigSource, Metrics, LOGGER],
        },
        Drain,
        RunningTurns,
        TurnService,
        SessionActivation,
        ActivationWorker,
      ],
    };
  }
}
