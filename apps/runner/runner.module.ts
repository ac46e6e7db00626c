import { Module, type DynamicModule } from '@nestjs/common';
import type { Tool } from '#agent';
import { ConfigSource } from '#config';
import { ActivationWorker } from './activation.worker.js';
import { AgentParts } from './agent-parts.js';
import { Drain } from './drain.js';
import { RunningTurns } from './running-turns.js';
import { SessionActivation } from './session-activation.js';
import { TurnService } from './turn.service.js';

/** Executes turns. Needs CoreModule. */
@Module({})
export class RunnerModule {
  /** @param tools beyond the built-in ones */
  static forRoot(tools: readonly Tool[] = []): DynamicModule {
    return {
      module: RunnerModule,
      providers: [
        { provide: AgentParts, useFactory: (source: ConfigSource) => AgentParts.from(source.current, tools), inject: [ConfigSource] },
        Drain,
        RunningTurns,
        TurnService,
        SessionActivation,
        ActivationWorker,
      ],
    };
  }
}
