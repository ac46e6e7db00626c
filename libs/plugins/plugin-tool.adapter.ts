import type { Tool, ToolContext, ToolResult } from '#agent';
import type { PluginSession, PluginTool, PluginToolContext, PluginToolFactory } from '#plugin-sdk';
import { describeProblems, JsonSchema, type CatalogTool } from '#tools';
import { inPlugin } from './plugin-scope.js';
import type { PluginServices } from './plugin-services.js';
import { toolResultOf } from './tool-result.js';

interface Owner {
  plugin: string;
  storage: PluginServices['storage'];
}

const notRunning = (): never => {
  throw new Error('A conversation is there only while a tool runs: use the context of its execute or factory within a call');
};
const NO_SESSION: PluginSession = { reply: notRunning, get: notRunning, set: notRunning };
const NO_STORAGE = { get: notRunning, set: notRunning, delete: notRunning, keys: notRunning };

/** For whom a factory is asked at the start: nobody. */
const DESCRIBED: PluginToolContext = { tenant: '', sessionKey: '', turnId: '', session: NO_SESSION, storage: NO_STORAGE };

/** The tools that a factory makes, each made anew for every call. Throws what the factory throws. */
export function toolsOf(owner: Owner, factory: PluginToolFactory): (CatalogTool & { origin: { kind: 'plugin' } })[] {
  return made(factory, DESCRIBED).map((described) => ({
    tool: adapted(owner, described, factory),
    origin: { kind: 'plugin', plugin: owner.plugin },
    ...(described.optional && { optional: true }),
    ...(described.ownerOnly && { ownerOnly: true }),
    ...(described.group !== undefined && { group: described.group }),
  }));
}

function made(factory: PluginToolFactory, context: PluginToolContext): PluginTool[] {
  const tools = factory(context);
  return Array.isArray(tools) ? tools : tools ? [tools] : [];
}

function adapted(owner: Owner, described: PluginTool, factory: PluginToolFactory): Tool {
  const { name, description, effect = 'once', timeoutMs, parallelSafe, cacheTtlMs } = described;
  // Schemas of TypeBox carry more than JSON.
  const parameters = JSON.parse(JSON.stringify(described.parameters)) as Record<string, unknown>;
  const schema = new JsonSchema(parameters);
  return {
    name,
    description,
    parameters,
    effect,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(parallelSafe !== undefined && { parallelSafe }),
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    async execute(args, context, signal): Promise<ToolResult> {
      const problems = schema.problems(args);
      if (problems.length > 0)
        return { text: `Invalid arguments for ${name}, nothing was run:\n${describeProblems(problems)}`, isError: true };
      const { callId } = context;
      return inPlugin(owner.plugin, context, async () => {
        const tool = made(factory, contextOf(owner, context)).find((candidate) => candidate.name === name);
        if (!tool) return { text: `${name} is not available in this conversation.`, isError: true };
        // The schema has just said what they are.
        return toolResultOf(await tool.execute(callId, args as never, signal, () => undefined));
      });
    },
  };
}

function contextOf({ plugin, storage }: Owner, { tenant, session, turn, callId, sends, state }: ToolContext): PluginToolContext {
  let replies = 0;
  return {
    tenant,
    sessionKey: session,
    turnId: turn,
    storage: storage(plugin, tenant),
    session: {
      async reply(text) {
        await sends.now({ key: `${callId}:reply:${++replies}`, text, mode: 'immediate', fellBack: false });
      },
      get: (key) => state.get(`${plugin}:${key}`),
      set: (key, value) => state.set(`${plugin}:${key}`, value),
    },
  };
}
