import type { ToolResult } from '#agent';
import { McpWorld } from '../mcp-world.js';

/** What a person in a hurry answers: a field that may be left out is. */
const HURRY = 'skip';
const MOST_ANSWERS = 12;

/** The client under the official conformance suite (`conformance client --command "node .../mcp-conformance.process.js"`). */
const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
};
await using world = new McpWorld({ suite: { url, requestTimeoutMs: 15_000 } });
await world.source.start(15_000);
const listed = world.fleet.lists.get('suite')?.tools ?? [];
const calls = context.toolCalls ?? listed.map(({ name, inputSchema }) => ({ name, arguments: argumentsFor(inputSchema) }));
await Promise.all(
  calls.map(async ({ name, arguments: args }) => {
    let result = await world.call(`mcp_suite_${name}`, args);
    for (let answer = 0; result.asks && answer < MOST_ANSWERS; answer += 1) result = await answered(name, args, result);
    process.stdout.write(`${name}: ${result.text}\n`);
  }),
);
for (const trouble of world.troubles) process.stdout.write(`${trouble}\n`);

async function answered(name: string, args: Record<string, unknown>, { asks, text }: ToolResult): Promise<ToolResult> {
  const words = text.startsWith(`"${HURRY}"`) ? (asks?.choices[0] ?? 'words') : HURRY;
  return world.call(`mcp_suite_${name}`, args, { answered: { resume: asks?.resume ?? '', text: words } });
}

function argumentsFor(schema: Record<string, unknown>): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, { type?: string }>);
  // One scenario wants back what was listed, to see that nothing was lost on the way.
  return Object.fromEntries(
    properties.map(([name, { type }], i) => [name, name === 'schema' ? listed[0]?.inputSchema : valueFor(type, i + 2)]),
  );
}

function valueFor(type: string | undefined, n: number): unknown {
  if (type === 'number' || type === 'integer') return n;
  if (type === 'boolean') return true;
  return type === 'array' ? [] : type === 'object' ? {} : `words ${n}`;
}
