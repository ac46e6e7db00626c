import type { OnApplicationShutdown } from '@nestjs/common';
import {
  defaultEngine,
  FallbackEngine,
  type ContextEngine,
  type EngineFailure,
  type Hooks,
  type ModelProvider,
  type Tool,
} from '#agent';
import type { Config } from '#config';
import { modelProvider, ModelRegistry, ScriptedProvider } from '#models';
import type { PluginHost } from '#plugins';
import { VisibleTools, type LiveCatalog, type McpSource } from '#tools';

/** Models and tools beyond the built-in ones, and what the program itself hooked in. */
export interface AgentExtras {
  providers?: readonly ModelProvider[];
  tools?: readonly Tool[];
  hooks?: Hooks;
  /** Instead of the built-in context engine, which stands in where it fails. */
  contextEngine?: ContextEngine;
}

interface Extended {
  hooks: Hooks;
  catalog: LiveCatalog;
  plugins: PluginHost;
  mcp: McpSource;
}

/** What agents are made of: models, tools and hooks. */
export class AgentParts implements OnApplicationShutdown {
  readonly context: ContextEngine;
  readonly hooks: Hooks;
  readonly catalog: LiveCatalog;
  readonly plugins: PluginHost;
  readonly visibleTools = new VisibleTools();
  private readonly mcp: McpSource;

  /** @param engineFailed told of each call the context engine failed at */
  constructor(
    private readonly registry: ModelRegistry,
    engine: ContextEngine = defaultEngine,
    engineFailed: (failure: EngineFailure) => void,
    { hooks, catalog, plugins, mcp }: Extended,
  ) {
    this.context = new FallbackEngine(engine, engineFailed);
    this.hooks = hooks;
    this.catalog = catalog;
    this.plugins = plugins;
    this.mcp = mcp;
  }

  async onApplicationShutdown(): Promise<void> {
    this.catalog.close();
    await Promise.all([this.plugins.close(), this.mcp.close(), this.context.dispose()]);
  }

  /** The models as this configuration names them. The providers are those of the start. */
  models({ models }: Config): ModelRegistry {
    return this.registry.under(models.aliases);
  }
}

/** Every provider of the configuration, the offline one and `added`. */
export function modelRegistry(config: Config, added: readonly ModelProvider[]): ModelRegistry {
  const configured = Object.entries(config.models.providers).flatMap(([id, provider]) => eachKey(id, provider));
  return new ModelRegistry([...added, new ScriptedProvider(), ...configured]);
}

function eachKey(id: string, { api, apiKey, apiKeys, ...settings }: Config['models']['providers'][string]): ModelProvider[] {
  const keys = new Set([...(apiKey === undefined ? [] : [apiKey]), ...apiKeys]);
  if (keys.size === 0) return [modelProvider(api, { id, ...settings })];
  return [...keys].map((key) => modelProvider(api, { id, apiKey: key, ...settings }));
}
