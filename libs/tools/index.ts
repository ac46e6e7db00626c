export { dropped } from './message/message-result.js';
export type { MessageToolConfig } from './message/message.tool.js';
export type { CatalogTool, ToolOrigin, ToolSource } from './catalog/catalog-tool.js';
export { LiveCatalog, type CatalogListener } from './catalog/live-catalog.js';
export type { RefusedTool, ToolCatalog } from './catalog/tool-catalog.js';
export { describeProblems, JsonSchema } from './schema/json-schema.js';
export { nativeSource, nativeTools, type ToolsConfig } from './native/native-source.js';
export { McpSource, type McpListener, type McpOptions } from './mcp/mcp-source.js';
export type { SharedList, SharedLists } from './mcp/tool-lists.js';
