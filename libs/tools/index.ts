export { defineTool } from './define-tool.js';
export { messageTool, type MessageToolConfig } from './message/message.tool.js';
export { toolCatalog, type ToolsConfig } from './tool-catalog.js';
