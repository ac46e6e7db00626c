import type { ContextEngine, HookHandler, HookName, HookOptions, ModelProvider } from '#agent';
import type { PluginRoute } from './http-route.js';
import type { PluginChannel } from './plugin-channel.js';
import type { PluginMemory } from './plugin-memory.js';
import type { PluginCommand, PluginLogger, PluginModels, PluginService, PluginStorage } from './plugin-services.js';
import type { PluginTool, PluginToolFactory } from './plugin-tool.js';

/** Other plugins, by what the manifest declares in `requiresPlugins`. */
export interface OtherPlugins {
  /** What a plugin has shared. Throws for one that is not declared or not running. */
  get(id: string): unknown;
  /** What those that depend on this plugin get. */
  share(value: unknown): void;
}

/** All that a plugin sees of Turnpike. `register*`, `on` and `share` count only until `register` returns. */
export interface PluginApi {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** `plugins.entries.<id>.config`, checked against the manifest. */
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  readonly logger: PluginLogger;
  readonly models: PluginModels;
  readonly storage: {
    /** Of this plugin, for one tenant. Tools have theirs in the context. */
    of(tenant: string): PluginStorage;
  };
  readonly plugins: OtherPlugins;
  /** The manifest has to name it in `contracts.tools`. */
  registerTool(tool: PluginTool | PluginToolFactory, options?: { name?: string; names?: string[]; optional?: boolean }): void;
  /** docs/hooks.md */
  on<N extends HookName>(hook: N, handler: HookHandler<N>, options?: HookOptions): void;
  registerService(service: PluginService): void;
  /** The manifest has to name it in `contracts.commands`. */
  registerCommand(command: PluginCommand): void;
  /** The manifest has to name its path in `contracts.httpRoutes`. */
  registerHttpRoute(route: PluginRoute): void;
  /** Models named `<plugin>/…`. The manifest has to name it in `providers`; a later change counts after a restart. */
  registerProvider(provider: ModelProvider): void;
  /** Its accounts are `channels.plugins.<channel>.accounts`. The manifest has to name it in `channels`; a later change counts after a restart. */
  registerChannel(channel: PluginChannel): void;
  /** Used where `plugins.slots.memory` names this plugin: agents get `memory_search`, `memory_get` and `memory_write`. */
  registerMemory(memory: PluginMemory): void;
  /** Used where `plugins.slots.contextEngine` names this plugin. */
  registerContextEngine(engine: ContextEngine): void;
}
