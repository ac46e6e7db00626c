import type { Tool } from '#agent';

/** Who owns a tool. Metadata only: no name and no prefix says it (trap T10). */
export type ToolOrigin = { kind: 'native' } | { kind: 'plugin'; plugin: string } | { kind: 'mcp'; server: string };

/** A tool that agents may be given, before any policy. */
export interface CatalogTool {
  tool: Tool;
  origin: ToolOrigin;
  /** Shown only where a policy allows it by name; default false. */
  optional?: boolean;
  /** For owners of the agent alone; default false. */
  ownerOnly?: boolean;
  /** What policies call several tools by, for example `web`. */
  group?: string;
}

/** Where tools come from: native code, plugins, MCP servers. */
export interface ToolSource {
  readonly kind: ToolOrigin['kind'];
  /** What it offers now. Opens nothing and loads nothing: it is asked once for each catalog. */
  tools(): readonly CatalogTool[];
  /** The version has moved: reads again what another process may have changed. Bounded in time; must not throw. */
  refresh?(): Promise<void>;
  /**
   * Tells of a change. `process`: every process hears of it by itself, like a reload. `fleet`: only this one knows, so the
   * version has to move. Changes within `refresh` are not told. Returns the way to stop listening.
   */
  onChange(listener: (scope: 'process' | 'fleet') => void): () => void;
}

export function describeOrigin(origin: ToolOrigin): string {
  if (origin.kind === 'native') return 'Turnpike itself';
  return origin.kind === 'plugin' ? `the plugin ${origin.plugin}` : `the MCP server ${origin.server}`;
}
