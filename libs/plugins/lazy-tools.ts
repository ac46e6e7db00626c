import type { Tool } from '#agent';
import type { CatalogTool } from '#tools';
import type { PlannedPlugin } from './plan-plugins.js';

/**
 * The tools of a plugin whose code has not run, by its manifest alone. They stay as they are when it has: every runner shows
 * a model the same, whoever called a tool first.
 * @param load runs the code, once; throws when it cannot be used
 */
export function toolsByManifest({ manifest }: PlannedPlugin, load: () => Promise<readonly CatalogTool[]>): CatalogTool[] {
  const { id, name: title = id, description, contracts, toolMetadata } = manifest;
  return contracts.tools.map((name): CatalogTool => {
    const { optional, ownerOnly, group, ...described } = toolMetadata[name] ?? {};
    const tool: Tool = {
      name,
      description: described.description ?? `${name} of ${title}. ${description}`.trim(),
      parameters: described.parameters ?? { type: 'object', properties: {}, additionalProperties: true },
      effect: 'once',
      async execute(args, context, signal) {
        const found = (await load()).find((candidate) => candidate.tool.name === name);
        if (!found) return { text: `${name} is not available now.`, isError: true };
        return found.tool.execute(args, context, signal);
      },
    };
    return {
      tool,
      origin: { kind: 'plugin', plugin: id },
      ...(optional && { optional }),
      ...(ownerOnly && { ownerOnly }),
      ...(group !== undefined && { group }),
    };
  });
}
