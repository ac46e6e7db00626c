import { hash } from 'node:crypto';

/** Of what providers allow in the name of a function. */
const NOT_ALLOWED = /[^A-Za-z0-9_-]+/g;
/** OpenAI and Anthropic refuse longer names. */
const LONGEST = 64;
/** Characters of hash; more only where fewer still clash, which takes a server that means it. */
const HASH_CHARS = [8, 16, 32] as const;

export interface McpToolId {
  server: string;
  tool: string;
}

/**
 * The names the model calls tools by, `mcp_<server>_<tool>` (TO-4), in the order given. Depends on the set alone, so it is
 * the same on every runner: whatever clashes, compared without case, or is too long gets the hash of its two parts.
 */
export function mcpToolNames(ids: readonly McpToolId[]): string[] {
  let named = ids.map((id) => ({ id, name: plainName(id) }));
  for (const chars of HASH_CHARS) {
    const uses = usesOf(named.map(({ name }) => name));
    const fits = (name: string): boolean => name.length <= LONGEST && uses.get(name.toLowerCase()) === 1;
    if (named.every(({ name }) => fits(name))) break;
    named = named.map(({ id, name }) => ({ id, name: fits(name) ? name : hashedName(id, chars) }));
  }
  return named.map(({ name }) => name);
}

function usesOf(names: readonly string[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const name of names) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1);
  return uses;
}

function plainName({ server, tool }: McpToolId): string {
  return `mcp_${sanitised(server)}_${sanitised(tool)}`;
}

function hashedName(id: McpToolId, chars: number): string {
  const tail = hash('sha256', JSON.stringify([id.server, id.tool]), 'hex').slice(0, chars);
  return `${plainName(id).slice(0, LONGEST - chars - 1)}_${tail}`;
}

function sanitised(part: string): string {
  return part.replace(NOT_ALLOWED, '_');
}
