import { Hooks } from '#agent';
import type { ConfigSource } from '#config';
import { reportHookFailures, type Platform } from '#host';
import { PluginHost, RedisPluginStorage } from '#plugins';
import type { Logger, Metrics } from '#telemetry';
import { engineFailures } from './agent-context.js';
import { AgentParts, modelRegistry, type AgentExtras } from './agent-parts.js';
import type { ModelCalls } from './model-calls.service.js';
import { completionsOf } from './plugin-completions.js';
import { catalogOf, mcpOf } from './runner-catalog.js';

export interface RunnerParts {
  source: ConfigSource;
  platform: Platform;
  calls: ModelCalls;
  metrics: Metrics;
  logger: Logger;
}

/** Everything agents are made of in this process, with the plugins that are enabled loaded. */
export async function assembleAgents(parts: RunnerParts, extras: AgentExtras): Promise<AgentParts> {
  const { source, platform, metrics, logger } = parts;
  const { hooks = new Hooks(), providers = [], tools = [] } = extras;
  reportHookFailures(hooks, metrics, logger);
  const registry = modelRegistry(source.current, providers);
  const plugins = new PluginHost(() => source.current.plugins, {
    logger,
    hooks,
    storage: (plugin, tenant) => new RedisPluginStorage(platform.request, platform.keyspace, plugin, tenant),
    complete: completionsOf({ ...parts, registry }),
  });
  const [mcp] = await Promise.all([mcpOf(source, platform, logger), plugins.refresh()]);
  source.onChange(() => plugins.settingsChanged());
  const catalog = catalogOf(source, platform, tools, [plugins, mcp], logger);
  return new AgentParts(registry, plugins.contextEngine ?? extras.contextEngine, engineFailures(metrics, logger), {
    hooks,
    catalog,
    plugins,
    mcp,
  });
}
