import type { Tool } from '#agent';
import { systemClock, type Clock } from '#kernel';
import type { CatalogTool, ToolSource } from '../catalog/catalog-tool.js';
import { messageTool, type MessageToolConfig } from '../message/message.tool.js';
import { askUserTool } from './ask-user.tool.js';
import { calculatorTool } from './calculator.tool.js';
import { currentTimeTool } from './current-time.tool.js';
import { demoSearchTool } from './demo-search.tool.js';
import { waitTool } from './wait.tool.js';

export interface ToolsConfig {
  message: MessageToolConfig;
}

/** Where the native tools read their options: the running configuration. */
export interface ToolOptions {
  readonly current: { tools: ToolsConfig };
  onChange(listener: () => void): () => void;
  /** Reads the file again, as another process has; must not throw. */
  refresh?(): void;
}

const GROUPS: Readonly<Record<string, string>> = {
  message: 'messaging',
  ask_user: 'messaging',
  demo_search: 'web',
  current_time: 'basics',
  calculator: 'basics',
  wait: 'basics',
};

/** @param added tools of the program that is no plugin, behind the built-in ones */
export function nativeTools(config: ToolsConfig, added: readonly Tool[] = [], clock: Clock = systemClock): Tool[] {
  const builtIn = [messageTool(config.message), askUserTool, currentTimeTool(clock), calculatorTool, demoSearchTool, waitTool];
  return [...builtIn, ...added];
}

/** The same as they stand in the catalog. */
export function nativeCatalog(config: ToolsConfig, added: readonly Tool[] = []): CatalogTool[] {
  return nativeTools(config, added).map((tool) => {
    const group = Object.hasOwn(GROUPS, tool.name) ? GROUPS[tool.name] : undefined;
    return { tool, origin: { kind: 'native' }, ...(group !== undefined && { group }) };
  });
}

/** The native tools follow their options: a reload changes the next turn (TO-1). */
export function nativeSource(options: ToolOptions, added: readonly Tool[] = []): ToolSource {
  return {
    kind: 'native',
    tools: () => nativeCatalog(options.current.tools, added),
    refresh: async () => options.refresh?.(),
    onChange: (listener) => options.onChange(() => listener('process')),
  };
}
