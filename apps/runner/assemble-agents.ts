import { Hooks } from '#agent';
import type { ConfigSource } from '#config';
import { reportHookFailures, type Platform } from '#host';
import { PluginGuard, PluginHost, PluginWatchdog, RedisPluginStorage } from '#plugins';
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
  const { blockedMs } = source.current.plugins;
  const watchdog = new PluginWatchdog({ redisUrl: source.current.redis.url, blockedMs }, logger);
  const guard = new PluginGuard(platform.request, platform.keyspace, watchdog);
  const plugins = new PluginHost(() => source.current.plugins, {
    logger,
    hooks,
    guard,
    storage: (plugin, tenant) => new RedisPluginStorage(platform.request, platform.keyspace, plugin, tenant),
    complete: completionsOf({ ...parts, registry: () => registry }),
  });
  const [mcp] = await Promise.all([mcpOf(source, platform, logger), plugins.refresh()]);
  // Who ended this process before is still loaded in others.
  if (plugins.refused.size > 0) await platform.catalog.bump();
  const registry = modelRegistry(source.current, [...providers, ...plugins.providers]);
  source.onChange(() => plugins.settingsChanged());
  const catalog = catalogOf(source, platform, tools, [plugins, mcp], logger);
  // Built before the first turn, which it would keep waiting.
  await catalog.at(await platform.catalog.current());
  return new AgentParts(registry, plugins.contextEngine ?? extras.contextEngine, engineFailures(metrics, logger), {
    hooks,
    catalog,
    plugins,
    mcp,
  });
}
