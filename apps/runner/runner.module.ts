import { Module, type DynamicModule } from '@nestjs/common';
import { ConfigSource } from '#config';
import { ActivationWorker } from './activation.worker.js';
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
          useFactory: (source: ConfigSource) => AgentParts.from(source.current, extras),
          inject: [ConfigSource],
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
