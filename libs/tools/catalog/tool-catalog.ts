import type { Tool } from '#agent';
import { describeOrigin, type CatalogTool, type ToolOrigin, type ToolSource } from './catalog-tool.js';

/** A tool that is left out, because its name was taken. */
export interface RefusedTool {
  name: string;
  origin: ToolOrigin;
  /** For a log line or a listing: which two, and what to do. */
  message: string;
}

/** Every tool there is at one version of the catalog. Never changed: policies and prompts may keep what they make of it. */
export interface ToolCatalog {
  readonly version: string;
  readonly tools: readonly CatalogTool[];
  /** `tools` as the agent's loop takes them: one array for all turns of this version. */
  readonly all: readonly Tool[];
  readonly refused: readonly RefusedTool[];
}

const ORDER: Record<ToolOrigin['kind'], number> = { native: 0, plugin: 1, mcp: 2 };

/**
 * Native tools as they are declared, then those of plugins and of MCP servers, by owner and name: the same on every runner,
 * because a stable prompt prefix keeps provider caches warm. Of two tools of one name, compared without case, the first stays
 * and the other is refused (trap T13).
 */
export function buildCatalog(version: string, sources: readonly ToolSource[]): ToolCatalog {
  const taken = new Map<string, ToolOrigin>();
  const tools: CatalogTool[] = [];
  const refused: RefusedTool[] = [];
  for (const found of sources.flatMap((source) => source.tools()).toSorted(inOrder)) {
    const { tool, origin } = found;
    const owner = taken.get(tool.name.toLowerCase());
    if (owner) refused.push({ name: tool.name, origin, message: clash(tool.name, origin, owner) });
    else {
      taken.set(tool.name.toLowerCase(), origin);
      tools.push(found);
    }
  }
  return { version, tools, all: tools.map(({ tool }) => tool), refused };
}

function clash(name: string, origin: ToolOrigin, owner: ToolOrigin): string {
  return `The tool ${name} of ${describeOrigin(origin)} is left out: ${describeOrigin(owner)} has one of that name (compared without case). Rename or disable one of them.`;
}

function inOrder(one: CatalogTool, other: CatalogTool): number {
  const byKind = ORDER[one.origin.kind] - ORDER[other.origin.kind];
  if (byKind !== 0 || one.origin.kind === 'native') return byKind;
  return compare(ownerOf(one.origin), ownerOf(other.origin)) || compare(one.tool.name, other.tool.name);
}

function ownerOf(origin: ToolOrigin): string {
  if (origin.kind === 'native') return '';
  return origin.kind === 'plugin' ? origin.plugin : origin.server;
}

/** By code unit: no locale of any host decides. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
