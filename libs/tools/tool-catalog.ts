import type { Tool } from '#agent';
import { InvalidInputError, systemClock, type Clock } from '#kernel';
import { messageTool, type MessageToolConfig } from './message/message.tool.js';
import { askUserTool } from './native/ask-user.tool.js';
import { calculatorTool } from './native/calculator.tool.js';
import { currentTimeTool } from './native/current-time.tool.js';
import { demoSearchTool } from './native/demo-search.tool.js';
import { waitTool } from './native/wait.tool.js';

export interface ToolsConfig {
  message: MessageToolConfig;
}

/** The tools of a turn, native ones first, in the same order on every runner: a stable prompt prefix keeps provider caches warm. */
export function toolCatalog(config: ToolsConfig, added: readonly Tool[] = [], clock: Clock = systemClock): Tool[] {
  const native = [messageTool(config.message), askUserTool, currentTimeTool(clock), calculatorTool, demoSearchTool, waitTool];
  const tools = [...native, ...added];
  const seen = new Set<string>();
  for (const { name } of tools) {
    const key = name.toLowerCase();
    if (seen.has(key))
      throw new InvalidInputError(`Two tools are named "${name}" (names are compared without case); rename or remove one`);
    seen.add(key);
  }
  return tools;
}
