import { z } from 'zod';
import type { ToolContext, ToolResult } from '#agent';
import type { MemoryNote, MemoryOwner, PluginMemory } from '#plugin-sdk';
import { defineTool, type CatalogTool } from '#tools';
import { inPlugin } from './plugin-scope.js';

const MOST_FOUND = 20;

const searchSchema = z.strictObject({
  query: z.string().min(1).max(2000).describe('What to look for, in words'),
  limit: z.int().min(1).max(MOST_FOUND).default(5).describe('Most notes to find'),
});
const getSchema = z.strictObject({ id: z.string().min(1).describe('Of a note that was found') });
const writeSchema = z.strictObject({
  text: z.string().min(1).max(20_000).describe('What is to be known later, in words that stand alone'),
  id: z.string().min(1).max(200).optional().describe('Of a note that this one replaces; default: a new one'),
});

/** The tools of a memory that a plugin brings (TO-8 names them): the same for every memory, so that agents know them. */
export function memoryTools(plugin: string, memory: PluginMemory): CatalogTool[] {
  const within = (context: ToolContext, run: (owner: MemoryOwner) => Promise<string>): Promise<ToolResult> =>
    inPlugin(plugin, context, async () => ({
      text: await run({ tenant: context.tenant, sessionKey: context.session }),
      isError: false,
    }));
  const search = defineTool({
    name: 'memory_search',
    description: 'Finds notes of earlier conversations.',
    schema: searchSchema,
    effect: 'pure',
    volatile: true,
    execute: ({ query, limit }, context, signal) =>
      within(context, async (owner) => listed((await memory.search(query, limit, owner, signal)).slice(0, limit))),
  });
  const get = defineTool({
    name: 'memory_get',
    description: 'Reads a whole note.',
    schema: getSchema,
    effect: 'pure',
    volatile: true,
    execute: ({ id }, context, signal) =>
      within(context, async (owner) => {
        const note = await memory.get(id, owner, signal);
        return note ? told(note) : `There is no note ${id}.`;
      }),
  });
  const write = defineTool({
    name: 'memory_write',
    description: 'Keeps a note for later conversations.',
    schema: writeSchema,
    effect: 'idempotent',
    execute: ({ text, id }, context, signal) =>
      within(context, async (owner) => {
        // A call that comes again writes the same note.
        const note = { id: id ?? context.callId, text };
        await memory.write(note, owner, signal);
        return `Kept as ${note.id}.`;
      }),
  });
  return [search, get, write].map((tool) => ({ tool, origin: { kind: 'plugin', plugin }, group: 'memory' }));
}

function listed(notes: readonly MemoryNote[]): string {
  return notes.length > 0 ? notes.map(told).join('\n\n') : 'Nothing was found.';
}

function told({ id, text, at }: MemoryNote): string {
  return `${id} (${new Date(at).toISOString()})\n${text}`;
}
