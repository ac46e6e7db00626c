/** All that a plugin may import of Turnpike: `turnpike/plugin-sdk`. */
export type { ContextEngine, ModelEvent, ModelProvider, ModelRequest } from '#agent';
export {
  equalInConstantTime,
  plainDialect,
  post,
  renderMarkdown,
  retryAfterMs,
  TEXT_ONLY,
  type ChannelCapabilities,
  type ChannelDescription,
  type Chunk,
  type Dialect,
  type HttpAnswer,
  type InboundChannel,
  type OutboundChannel,
  type SendContext,
  type SendOutcome,
  type WebhookRequest,
} from '#channels';
export type { InboundEvent, OutboxRow, Target } from '#contracts';
export { InvalidInputError } from '#kernel';
export { defineChannelPluginEntry, type ChannelPlugin } from './channel-plugin.js';
export type { ChannelAccountSetup, OpenedChannel, PluginChannel } from './plugin-channel.js';
export { Type, type Static, type TSchema } from 'typebox';
export type { PluginApi, OtherPlugins } from './plugin-api.js';
export type { PluginRequest, PluginResponse, PluginRoute } from './http-route.js';
export { definePluginEntry, type PluginEntry } from './plugin-entry.js';
export type {
  CommandCall,
  Completion,
  PluginCommand,
  PluginLogger,
  PluginModels,
  PluginService,
  PluginSession,
  PluginStorage,
} from './plugin-services.js';
export type { MemoryNote, MemoryOwner, PluginMemory } from './plugin-memory.js';
export { defineSetupPluginEntry, type SetupContext, type SetupFinding, type SetupPlugin } from './setup-plugin.js';
export type { PluginTool, PluginToolContext, PluginToolFactory, ToolContent, ToolTraits } from './plugin-tool.js';
export { defineSingleProviderPluginEntry, type ProviderPlugin } from './provider-plugin.js';
export {
  defineToolPlugin,
  type DefinedTool,
  type ToolDefinition,
  type ToolPlugin,
  type ToolPluginContext,
} from './tool-plugin.js';
