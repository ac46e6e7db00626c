import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { McpServerConfig } from '#config';
import { mcpToolSchema, type McpTool, type McpToolList } from '#contracts';

/** A list as the fleet shares it. */
export interface SharedList extends McpToolList {
  /** The server it is of, as `definitionOf` names it: a list of what the configuration named before counts for nothing. */
  of: string;
}

/** Where runners share what servers told them, so that all have the same tools at one version of the catalog. */
export interface SharedLists {
  /** By server. */
  read(): Promise<ReadonlyMap<string, SharedList>>;
  write(server: string, list: SharedList): Promise<void>;
}

/** Names what is started or reached. Holds no secret, not even as a hash. */
export function definitionOf(config: McpServerConfig): string {
  const { type } = config;
  const what = type === 'stdio' ? [type, config.command, config.args, config.cwd] : [type, config.url];
  return hash('sha256', JSON.stringify(what), 'base64url');
}

/** The tools of a server that are used: as it lists them itself, if it was ever asked, and only those that are wanted. */
export function toolsInUse({ only, known, annotations }: McpServerConfig, listed: McpToolList | undefined): readonly McpTool[] {
  const all = listed?.tools ?? known;
  const wanted = only ? all.filter(({ name }) => only.includes(name)) : all;
  return wanted.map((tool) => ({ ...tool, annotations: annotations[tool.name] ?? tool.annotations }));
}

/** Whatever their order: a server that shuffles its list has not changed. */
export function areSame(some: readonly McpTool[], others: readonly McpTool[]): boolean {
  const byName = (tools: readonly McpTool[]) => new Map(tools.map((tool) => [tool.name, tool]));
  return isDeepStrictEqual(byName(some), byName(others));
}

export interface Difference {
  added: string[];
  missing: string[];
  changed: string[];
}

/** What the server has that was expected otherwise; undefined: nothing. Of a tool that was only named nothing was expected. */
export function differenceOf(expected: readonly McpTool[], found: readonly McpTool[]): Difference | undefined {
  const before = new Map(expected.map((tool) => [tool.name, tool]));
  const now = new Set(found.map(({ name }) => name));
  const difference = {
    added: found.flatMap(({ name }) => (before.has(name) ? [] : [name])),
    missing: expected.flatMap(({ name }) => (now.has(name) ? [] : [name])),
    changed: found.flatMap((tool) => {
      const old = before.get(tool.name);
      return old === undefined || isOnlyNamed(old) || isDeepStrictEqual(old, tool) ? [] : [tool.name];
    }),
  };
  return Object.values(difference).some(({ length }) => length > 0) ? difference : undefined;
}

function isOnlyNamed({ name, description, inputSchema }: McpTool): boolean {
  return description === '' && isDeepStrictEqual(inputSchema, mcpToolSchema.parse({ name }).inputSchema);
}
