// By its path: this module is loaded on behalf of plugins, beside the built SDK, whatever conditions the process resolves #names with.
import {
  defineToolPlugin as defineOurs,
  definePluginEntry,
  type PluginEntry,
  type ToolPlugin,
  type TSchema,
} from '../../plugin-sdk/index.js';

/**
 * What plugins written for OpenClaw find under `openclaw/plugin-sdk` and its subpaths tool-plugin, plugin-entry, core and
 * tool-results (TO-10). A name that is not here fails their import with that name.
 */
export { definePluginEntry };

/** OpenClaw's own tools read the declaration of a tool plugin under this symbol. */
export const toolPluginMetadataSymbol = Symbol.for('openclaw.plugin-sdk.tool-plugin.metadata');

interface ToolPluginMetadata {
  id: string;
  name: string;
  description: string;
  tools: { name: string; optional?: boolean }[];
}

export function defineToolPlugin<Schema extends TSchema | undefined = undefined>(plugin: ToolPlugin<Schema>): PluginEntry {
  const names: ToolPluginMetadata['tools'] = [];
  const { id, name, description } = plugin;
  const entry = defineOurs<Schema>({
    ...plugin,
    tools: (tool) => {
      const tools = plugin.tools(tool);
      names.push(...tools.map((one) => ({ name: one.name, ...(one.optional && { optional: true }) })));
      return tools;
    },
  });
  const metadata: ToolPluginMetadata = { id, name, description, tools: names };
  return Object.defineProperty(entry, toolPluginMetadataSymbol, { value: metadata });
}

export function getToolPluginMetadata(entry: object): ToolPluginMetadata | undefined {
  return (entry as { [toolPluginMetadataSymbol]?: ToolPluginMetadata })[toolPluginMetadataSymbol];
}

/** Marks a whole result in OpenClaw; here its shape alone says so. */
export function toolResult<T>(result: T): T {
  return result;
}

export function textResult(text: string, details?: unknown) {
  return { content: [{ type: 'text' as const, text }], details };
}

export function jsonResult(value: unknown) {
  return textResult(JSON.stringify(value, undefined, 2), value);
}

/** The manifest's schema is the one that counts; the code's is passed on as it is. */
export function buildJsonPluginConfigSchema(jsonSchema: Record<string, unknown>) {
  return { jsonSchema };
}

export function emptyPluginConfigSchema() {
  return buildJsonPluginConfigSchema({ type: 'object', additionalProperties: false, properties: {} });
}
