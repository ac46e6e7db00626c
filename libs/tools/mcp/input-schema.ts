import type { McpTool } from '#contracts';

/** Bounds of what a server may put into every prompt. */
const MOST_SCHEMA_CHARS = 32_768;
const DEEPEST = 32;
const MOST_DESCRIPTION = 2000;

const OPEN = { type: 'object', properties: {}, additionalProperties: true };

/**
 * The parameters a model is shown. What no provider takes, or nobody should pay for in each prompt, becomes "any arguments":
 * the server checks them anyway. References lead nowhere but into the schema itself: nothing is ever fetched.
 */
export function parametersOf({ inputSchema }: Pick<McpTool, 'inputSchema'>): Record<string, unknown> {
  const { $schema: _, ...schema } = inputSchema;
  if (schema.type !== 'object' || !isBounded(schema)) return OPEN;
  return { ...schema, properties: schema.properties ?? {} };
}

/** Written by the server; the model reads it as the description of a tool and nothing else. */
export function descriptionOf(server: string, { name, description }: Pick<McpTool, 'name' | 'description'>): string {
  return description === '' ? `${name}, a tool of the MCP server ${server}` : description.slice(0, MOST_DESCRIPTION);
}

function isBounded(schema: unknown): boolean {
  return JSON.stringify(schema).length <= MOST_SCHEMA_CHARS && isPlain(schema, 0);
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= DEEPEST) return false;
  return Object.entries(value).every(
    ([key, inside]) => !(key === '$ref' && typeof inside === 'string' && !inside.startsWith('#')) && isPlain(inside, depth + 1),
  );
}
