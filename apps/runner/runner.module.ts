import { Module, type DynamicModule } from '@nestjs/common';
import { ChannelRegistry } from '#channels';
import { ConfigSource, modelLimits } from '#config';
import { LOGGER, Platform } from '#host';
import { UsageAccount, ModelBudgets, ModelHealth } from '#limits';
import { ImageShelf, readsImages, type Sight } from '#models';
import { Metrics, type Logger } from '#telemetry';
import { ActivationWorker } from './activation.worker.js';
import { AgentParts, type AgentExtras } from './agent-parts.js';
import { assembleAgents } from './assemble-agents.js';
import { ChannelImages } from './channel-images.js';
import { Drain } from './drain.js';
import { Epochs } from './epochs.js';
import { ModelCalls } from './model-calls.service.js';
import { ParkedTurns } from './parked-turns.js';
import { RunningTurns } from './running-turns.js';
import { SessionActivation } from './session-activation.js';
import { TimerWorker } from './timer.worker.js';
import { TurnBudgets } from './turn-budgets.js';
import { TurnService } from './turn.service.js';

type Injected = [ConfigSource, Platform, ModelCalls, Metrics, Logger];

/** Executes turns. Needs CoreModule. */
@Module({})
export class RunnerModule {
  static forRoot(extras: AgentExtras = {}): DynamicModule {
    return {
      module: RunnerModule,
      providers: [
        {
          provide: AgentParts,
          useFactory: (...[source, platform, calls, metrics, logger]: Injected) =>
            assembleAgents({ source, platform, calls, metrics, logger }, extras),
          inject: [ConfigSource, Platform, ModelCalls, Metrics, LOGGER],
        },
        Drain,
        {
          provide: ModelCalls,
          useFactory(
            { work, keyspace }: Platform,
            source: ConfigSource,
            channels: ChannelRegistry,
            metrics: Metrics,
            logger: Logger,
          ) {
            const budgets = new ModelBudgets(work, keyspace);
            const health = new ModelHealth(work, keyspace);
            const sight: Sight = {
              shelf: new ImageShelf(new ChannelImages(channels)),
              readsImages: (...model) => readsImages(...model, source.current.models.inputs),
            };
            return new ModelCalls(budgets, health, (...model) => modelLimits(source.current, ...model), sight, metrics, logger);
          },
          inject: [Platform, ConfigSource, ChannelRegistry, Metrics, LOGGER],
        },
        {
          provide: UsageAccount,
          useFactory: ({ work, keyspace }: Platform) => new UsageAccount(work, keyspace),
          inject: [Platform],
        },
        TurnBudgets,
        RunningTurns,
        ParkedTurns,
        Epochs,
        TurnService,
        SessionActivation,
        ActivationWorker,
        TimerWorker,
      ],
    };
  }
}
