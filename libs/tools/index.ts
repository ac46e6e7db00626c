export { dropped } from './message/message-result.js';
export type { MessageToolConfig } from './message/message.tool.js';
export { toolCatalog, type ToolsConfig } from './tool-catalog.js';
