import type { PolicedTool } from './policed-tool.js';

/**
 * Whether a pattern of a policy means a tool: its name with `*` for anything, compared without case; `group:<group>`,
 * `group:plugins` and `group:mcp`; `plugin:<id>`; `mcp:<server>`.
 */
export function means(pattern: string, tool: PolicedTool): boolean {
  return isNamed(pattern, tool) || matchers(pattern).test(tool.name);
}

/** By a name that was written down for it: of the tool, its owner or its group, and not by a wildcard. */
export function isNamed(pattern: string, { name, origin, group }: PolicedTool): boolean {
  const names = [name.toLowerCase()];
  if (group !== undefined) names.push(`group:${group}`);
  if (origin.kind === 'plugin') names.push('group:plugins', `plugin:${origin.plugin}`);
  if (origin.kind === 'mcp') names.push('group:mcp', `mcp:${origin.server}`);
  return names.some((one) => one.toLowerCase() === pattern.toLowerCase());
}

const compiled = new Map<string, RegExp>();

/** Patterns are those of the configuration: as many as it has. */
function matchers(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known) return known;
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const made = new RegExp(`^${parts.join('.*')}$`, 'is');
  compiled.set(pattern, made);
  return made;
}
