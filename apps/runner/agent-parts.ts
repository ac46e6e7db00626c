import type { OnApplicationShutdown } from '@nestjs/common';
import {
  defaultEngine,
  FallbackEngine,
  Hooks,
  type ContextEngine,
  type EngineFailure,
  type ModelProvider,
  type Tool,
} from '#agent';
import type { Config } from '#config';
import { modelProvider, ModelRegistry, ScriptedProvider } from '#models';
import type { LiveCatalog, McpSource } from '#tools';

/** Models and tools beyond the built-in ones, and what plugins hooked in. */
export interface AgentExtras {
  providers?: readonly ModelProvider[];
  tools?: readonly Tool[];
  hooks?: Hooks;
  /** Instead of the built-in context engine, which stands in where it fails. */
  contextEngine?: ContextEngine;
}

/** What agents are made of: models, tools and hooks. */
export class AgentParts implements OnApplicationShutdown {
  private constructor(
    private readonly registry: ModelRegistry,
    readonly context: ContextEngine,
    readonly hooks: Hooks,
    readonly catalog: LiveCatalog,
    private readonly mcp: McpSource,
  ) {}

  /** @param engineFailed told of each call the context engine failed at */
  static from(
    config: Config,
    { providers: added = [], hooks = new Hooks(), contextEngine = defaultEngine }: AgentExtras,
    { catalog, mcp }: { catalog: LiveCatalog; mcp: McpSource },
    engineFailed: (failure: EngineFailure) => void,
  ): AgentParts {
    const configured = Object.entries(config.models.providers).flatMap(([id, provider]) => eachKey(id, provider));
    const providers = [...added, new ScriptedProvider(), ...configured];
    return new AgentParts(new ModelRegistry(providers), new FallbackEngine(contextEngine, engineFailed), hooks, catalog, mcp);
  }

  async onApplicationShutdown(): Promise<void> {
    this.catalog.close();
    await Promise.all([this.mcp.close(), this.context.dispose()]);
  }

  /** The models as this configuration names them. The providers are those of the start. */
  models({ models }: Config): ModelRegistry {
    return this.registry.under(models.aliases);
  }
}

function eachKey(id: string, { api, apiKey, apiKeys, ...settings }: Config['models']['providers'][string]): ModelProvider[] {
  const keys = new Set([...(apiKey === undefined ? [] : [apiKey]), ...apiKeys]);
  if (keys.size === 0) return [modelProvider(api, { id, ...settings })];
  return [...keys].map((key) => modelProvider(api, { id, apiKey: key, ...settings }));
}
