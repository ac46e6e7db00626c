import type { PolicedTool } from './policed-tool.js';

/**
 * Whether a pattern of a policy means a tool: its name with `*` for anything, compared without case; `group:<group>`,
 * `group:plugins`, `group:mcp` and `group:turnpike` (OpenClaw's `group:openclaw`); `plugin:<id>`; `mcp:<server>`.
 */
export function means(pattern: string, tool: PolicedTool): boolean {
  if (!pattern.includes('*')) return isNamed(pattern, tool);
  return fits(pattern.toLowerCase().split('*'), tool.name.toLowerCase());
}

/** By a name that was written down for it: of the tool, its owner or its group, and not by a wildcard. */
export function isNamed(pattern: string, { name, origin, group }: PolicedTool): boolean {
  const asked = pattern.toLowerCase();
  if (!asked.includes(':')) return asked === name.toLowerCase();
  if (group !== undefined && asked === `group:${group}`.toLowerCase()) return true;
  if (origin.kind === 'native') return asked === 'group:turnpike' || asked === 'group:openclaw';
  if (origin.kind === 'plugin') return asked === 'group:plugins' || asked === `plugin:${origin.plugin}`.toLowerCase();
  return asked === 'group:mcp' || asked === `mcp:${origin.server}`.toLowerCase();
}

/** Takes each piece where it comes first, so that no pattern takes long. */
function fits([first = '', ...rest]: string[], name: string): boolean {
  const last = rest.pop() ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let from = first.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
