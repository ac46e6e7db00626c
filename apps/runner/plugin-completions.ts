import { randomUUID } from 'node:crypto';
import { askModel } from '#agent';
import { agentConfig, DEFAULT_TENANT, goneAgent, type ConfigSource } from '#config';
import type { ModelRegistry } from '#models';
import type { PluginServices } from '#plugins';
import { parseSessionKey } from '#routing';
import type { Logger, Metrics } from '#telemetry';
import type { ModelCalls } from './model-calls.service.js';
import { SessionKeys } from './session-keys.js';
import { TurnModels } from './turn-models.js';

interface Parts {
  source: ConfigSource;
  calls: ModelCalls;
  metrics: Metrics;
  logger: Logger;
  /** Plugins bring some of it. */
  registry: () => ModelRegistry;
}

/** Model calls of plugins: failover and shared limits are those of the agent that the tool runs for, and its turn pays. */
export function completionsOf({ source, calls, metrics, logger, registry }: Parts): PluginServices['complete'] {
  return async ({ model, system = '', prompt }, call, signal) => {
    const config = source.current;
    const { tenant, agent: id = '' } = parseSessionKey(call?.session ?? '') ?? {
      tenant: DEFAULT_TENANT,
      agent: config.defaultAgent,
    };
    const agent = agentConfig(config, tenant, id) ?? Object.values(config.agents)[0] ?? goneAgent;
    const { turn: turnId, session, pay } = call ?? { turn: randomUUID(), session: 'plugin', pay: () => undefined };
    const parts = {
      config,
      agent,
      models: registry().under(config.models.aliases),
      calls,
      metrics,
      logger,
      keys: new SessionKeys([], calls),
    };
    const models = new TurnModels(parts, { turnId, tenant, session, chosen: undefined, failedCalls: 0 });
    const asked = { ...models.resolve(model ?? agent.model), tier: 'utility' as const };
    return askModel(asked, { system, text: prompt }, pay, signal);
  };
}
