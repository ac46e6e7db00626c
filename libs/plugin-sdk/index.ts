/** All that a plugin may import of Turnpike: `turnpike/plugin-sdk`. */
export { Type, type Static, type TSchema } from 'typebox';
export type { PluginApi, OtherPlugins } from './plugin-api.js';
export { definePluginEntry, type PluginEntry } from './plugin-entry.js';
export type { Completion, PluginLogger, PluginModels, PluginService, PluginSession, PluginStorage } from './plugin-services.js';
export type { PluginTool, PluginToolContext, PluginToolFactory, ToolContent, ToolTraits } from './plugin-tool.js';
export {
  defineToolPlugin,
  type DefinedTool,
  type ToolDefinition,
  type ToolPlugin,
  type ToolPluginContext,
} from './tool-plugin.js';
