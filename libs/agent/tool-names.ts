import type { Tool } from './tool-port.js';
import type { WholeTurnInput } from './turn-types.js';

/** Models invent a namespace around the names they were given. */
const NAMESPACE = /^(?:functions?|tools?|default_api)[.:/\s]+/;
const MCP_PREFIX = /^mcp__?(?:[^_]+__)?/;

/** The tools of a turn that an answer may call: those of the model that gave it, where a policy tells models apart. */
export function toolsOf(
  { tools, allowed }: Pick<WholeTurnInput, 'tools' | 'allowed'>,
  model: string | undefined,
): readonly Tool[] {
  const isAllowed = allowed(model);
  return tools.filter(({ name }) => isAllowed(name));
}

/** Finds the tool a model means: exact, else by case, blanks and prefix, where only one tool fits (TU-5). */
export function findTool(name: string, tools: readonly Tool[]): Tool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const bare = name.trim().toLowerCase().replace(NAMESPACE, '');
  for (const candidate of [bare, bare.replaceAll('__', '_'), bare.replace(MCP_PREFIX, '')]) {
    const [found, ...others] = tools.filter((tool) => tool.name.toLowerCase() === candidate);
    if (found && others.length === 0) return found;
  }
  return undefined;
}
