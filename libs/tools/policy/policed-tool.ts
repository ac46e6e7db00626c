import type { CatalogTool, ToolOrigin } from '../catalog/catalog-tool.js';

/** What policies know of a tool. */
export interface PolicedTool {
  name: string;
  origin: ToolOrigin;
  group?: string | undefined;
  optional?: boolean | undefined;
  ownerOnly?: boolean | undefined;
}

export function policed({ tool, origin, group, optional, ownerOnly }: CatalogTool): PolicedTool {
  return { name: tool.name, origin, group, optional, ownerOnly };
}
