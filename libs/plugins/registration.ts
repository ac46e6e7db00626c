import type { ContextEngine, HookHandler, HookName, HookOptions, ModelProvider } from '#agent';
import { InvalidInputError } from '#kernel';
import type {
  Completion,
  PluginApi,
  PluginChannel,
  PluginCommand,
  PluginMemory,
  PluginRoute,
  PluginService,
  PluginTool,
  PluginToolFactory,
} from '#plugin-sdk';
import type { CatalogTool } from '#tools';
import type { PlannedPlugin } from './plan-plugins.js';
import { currentScope, inPlugin } from './plugin-scope.js';
import type { PluginServices } from './plugin-services.js';
import { toolsOf } from './plugin-tool.adapter.js';

const NEVER = AbortSignal.any([]);

/** What one plugin registers. Nothing of it counts before its `register` has returned and its contract was checked. */
export class Registration implements PluginApi {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly pluginConfig: PluginApi['pluginConfig'];
  readonly logger: PluginApi['logger'];
  readonly models: PluginApi['models'];
  readonly storage: PluginApi['storage'];
  readonly plugins: PluginApi['plugins'];
  readonly tools: CatalogTool[] = [];
  /** Names that were registered, also where a factory makes no tool now. */
  readonly toolNames = new Set<string>();
  /** Each puts a hook in force and returns the way to take it out again. */
  readonly hooks: (() => () => void)[] = [];
  readonly services: PluginService[] = [];
  readonly commands = new Map<string, PluginCommand>();
  readonly providers: ModelProvider[] = [];
  readonly routes: PluginRoute[] = [];
  readonly channels: PluginChannel[] = [];
  contextEngine: ContextEngine | undefined;
  memory: PluginMemory | undefined;
  shared: unknown;
  /** Members of OpenClaw's api that it used and that are not here. */
  readonly lacking = new Set<string>();
  private open = true;
  private readonly toolMetadata: PlannedPlugin['manifest']['toolMetadata'];

  /** @param others what the plugins share that this one requires */
  constructor(
    plugin: PlannedPlugin,
    private readonly host: PluginServices,
    others: (id: string) => unknown,
  ) {
    const { id, name = id, requiresPlugins, toolMetadata } = plugin.manifest;
    this.id = id;
    this.toolMetadata = toolMetadata;
    this.name = name;
    this.version = plugin.version;
    this.pluginConfig = plugin.config;
    this.logger = loggerOf(host, id);
    this.storage = { of: (tenant) => host.storage(id, tenant) };
    this.models = {
      complete: (completion: Completion, signal = NEVER) => host.complete(completion, currentScope()?.call, signal),
    };
    this.plugins = {
      share: (value) => {
        this.mustBeOpen('plugins.share');
        this.shared = value;
      },
      get: (other) => {
        if (requiresPlugins.includes(other)) return others(other);
        throw new InvalidInputError(`${id} uses the plugin ${other}: name it in requiresPlugins of the manifest`);
      },
    };
  }

  registerTool(
    tool: PluginTool | PluginToolFactory,
    options: { name?: string; names?: string[]; optional?: boolean } = {},
  ): void {
    this.mustBeOpen('registerTool');
    const factory = typeof tool === 'function' ? tool : () => tool;
    const tools = toolsOf({ plugin: this.id, storage: (...of) => this.host.storage(...of) }, factory);
    for (const found of tools) this.tools.push(this.marked(found, options.optional ?? false));
    const named = [...(options.names ?? []), ...(options.name === undefined ? [] : [options.name])];
    for (const name of [...named, ...tools.map((found) => found.tool.name)]) this.toolNames.add(name);
  }

  /** What either the manifest or the code says of a tool counts: the manifest is what an operator has read. */
  private marked(found: CatalogTool, isOptional: boolean): CatalogTool {
    const { optional, ownerOnly, group } = this.toolMetadata[found.tool.name] ?? {};
    const groupOf = found.group ?? group;
    return {
      ...found,
      ...((isOptional || found.optional || optional) && { optional: true }),
      ...((found.ownerOnly || ownerOnly) && { ownerOnly: true }),
      ...(groupOf !== undefined && { group: groupOf }),
    };
  }

  on<N extends HookName>(hook: N, handler: HookHandler<N>, options?: HookOptions): void {
    this.mustBeOpen('on');
    const scoped: HookHandler<N> = (payload, signal) => inPlugin(this.id, undefined, () => handler(payload, signal));
    this.hooks.push(() => this.host.hooks.on(hook, scoped, options));
  }

  registerService(service: PluginService): void {
    this.mustBeOpen('registerService');
    this.services.push(service);
  }

  registerCommand(command: PluginCommand): void {
    this.mustBeOpen('registerCommand');
    this.commands.set(command.name.toLowerCase(), command);
  }

  registerHttpRoute(route: PluginRoute): void {
    this.mustBeOpen('registerHttpRoute');
    this.routes.push(route);
  }

  registerProvider(provider: ModelProvider): void {
    this.mustBeOpen('registerProvider');
    this.providers.push(provider);
  }

  registerChannel(channel: PluginChannel): void {
    this.mustBeOpen('registerChannel');
    this.channels.push(channel);
  }

  registerMemory(memory: PluginMemory): void {
    this.mustBeOpen('registerMemory');
    this.memory = memory;
  }

  registerContextEngine(engine: ContextEngine): void {
    this.mustBeOpen('registerContextEngine');
    this.contextEngine = engine;
  }

  close(): void {
    this.open = false;
  }

  private mustBeOpen(what: string): void {
    if (!this.open)
      throw new InvalidInputError(`${what} of ${this.id} comes too late: everything is registered before register returns`);
  }
}

function loggerOf({ logger }: PluginServices, plugin: string): PluginApi['logger'] {
  const child = logger.child({ plugin });
  return {
    debug: (message, fields = {}) => child.debug(fields, message),
    info: (message, fields = {}) => child.info(fields, message),
    warn: (message, fields = {}) => child.warn(fields, message),
    error: (message, fields = {}) => child.error(fields, message),
  };
}
