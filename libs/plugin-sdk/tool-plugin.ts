import type { Static, TSchema } from 'typebox';
import type { PluginApi } from './plugin-api.js';
import { definePluginEntry, type PluginEntry } from './plugin-entry.js';
import type { PluginTool, PluginToolContext, ToolTraits } from './plugin-tool.js';

/** What `execute` gets besides arguments and configuration. */
export interface ToolPluginContext extends PluginToolContext {
  readonly api: PluginApi;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
}

export interface ToolFactoryContext<Config> {
  api: PluginApi;
  config: Config;
  toolContext: PluginToolContext;
}

interface ToolHead<Params extends TSchema> extends ToolTraits {
  name: string;
  label?: string;
  description: string;
  parameters: Params;
}

/** A whole tool by `execute`, or what makes one or several of them, by configuration and caller, by `factory`. */
export type ToolDefinition<Config, Params extends TSchema> = ToolHead<Params> &
  (
    | { execute(params: Static<Params>, config: Config, context: ToolPluginContext): unknown; factory?: never }
    | { factory(context: ToolFactoryContext<Config>): PluginTool | PluginTool[] | null | undefined; execute?: never }
  );

/** A tool whose parameters have been inferred; only `tool(...)` makes one. */
export interface DefinedTool<Config> extends ToolTraits {
  name: string;
  make(context: ToolFactoryContext<Config>): PluginTool | PluginTool[] | null | undefined;
}

type ConfigOf<Schema extends TSchema | undefined> = Schema extends TSchema ? Static<Schema> : Record<string, never>;

export interface ToolPlugin<Schema extends TSchema | undefined> {
  id: string;
  name: string;
  description: string;
  configSchema?: Schema;
  tools(
    tool: <Params extends TSchema>(definition: ToolDefinition<ConfigOf<Schema>, Params>) => DefinedTool<ConfigOf<Schema>>,
  ): readonly DefinedTool<ConfigOf<Schema>>[];
}

/** A plugin that gives agents tools. Types of arguments and configuration come from the schemas. */
export function defineToolPlugin<Schema extends TSchema | undefined = undefined>(plugin: ToolPlugin<Schema>): PluginEntry {
  const { id, name, description, configSchema } = plugin;
  const tools = plugin.tools(defineTool);
  return definePluginEntry({
    id,
    name,
    description,
    ...(configSchema && { configSchema }),
    register(api) {
      // The host has checked it against the schema that this type comes from.
      const config = api.pluginConfig as ConfigOf<Schema>;
      for (const { name: toolName, optional, make } of tools) {
        api.registerTool((toolContext) => make({ api, config, toolContext }), {
          name: toolName,
          ...(optional !== undefined && { optional }),
        });
      }
    },
  });
}

function defineTool<Config, Params extends TSchema>(definition: ToolDefinition<Config, Params>): DefinedTool<Config> {
  const { execute, factory, ...head } = definition;
  if (factory) return { ...head, make: (context) => factory(context) };
  return {
    ...head,
    make: ({ api, config, toolContext }) => ({
      ...head,
      execute: (toolCallId: string, params: Static<Params>, signal: AbortSignal = AbortSignal.any([])) =>
        execute(params, config, { ...toolContext, api, toolCallId, signal }),
    }),
  };
}
