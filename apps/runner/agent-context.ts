import type { ContextEvent, ContextSettings, EngineFailure } from '#agent';
import type { AgentConfig, Config } from '#config';
import type { Logger, Metrics } from '#telemetry';
import type { AgentParts } from './agent-parts.js';
import type { ModelResolver } from './turn-models.js';

interface ContextParts {
  config: Config;
  agent: AgentConfig;
  agents: AgentParts;
  models: ModelResolver;
  metrics: Metrics;
  logger: Logger;
}

interface OfTurn {
  turnId: string;
  session: string;
  tenant: string;
}

/** An agent's window as its configuration has it; what happens to it is logged and counted. */
export function contextSettings(
  { config, agent, agents, models, metrics, logger }: ContextParts,
  ofTurn: OfTurn,
): ContextSettings {
  return {
    ...agent.context,
    windows: config.models.windows,
    engine: agents.context,
    utilityModel: agent.utilityModel === undefined ? undefined : models.resolve(agent.utilityModel),
    report: (event) => report(event, metrics, logger.child(ofTurn)),
  };
}

/** For FallbackEngine. */
export function engineFailures(metrics: Metrics, logger: Logger): (failure: EngineFailure) => void {
  return ({ engine, operation, error }) => {
    metrics.contextEngineFailures.inc({ operation });
    logger.error({ err: error, engine, operation }, 'The context engine failed: the built-in one stands in');
  };
}

function report(event: ContextEvent, metrics: Metrics, logger: Logger): void {
  switch (event.kind) {
    case 'overflow': {
      const { model, tokens, windowTokens } = event;
      metrics.contextOverflows.inc();
      return logger.warn(
        { model, tokens, windowTokens },
        'The model refused a request as too long: if this comes often, set models.windows',
      );
    }
    case 'compacting':
      return logger.debug({ messages: event.messages, tokens: event.tokens }, 'Conversation is compacted');
    case 'compacted':
      metrics.compactions.inc({ outcome: 'done' });
      return logger.info({ upTo: event.upTo, messages: event.messages, tokens: event.tokens }, 'Conversation compacted');
    case 'compactionFailed':
      metrics.compactions.inc({ outcome: 'failed' });
      return logger.warn({ err: event.error }, 'The conversation could not be compacted: the turn goes on without');
  }
}
