import { z } from 'zod';
import type { Tool, ToolContext, ToolEffect, ToolResult } from '#agent';

interface ToolDefinition<S extends z.ZodObject> {
  name: string;
  description: string;
  /** The one source of the parameters: what the model reads and what its arguments are checked against. */
  schema: S;
  effect: ToolEffect;
  /** ms */
  timeoutMs?: number;
  /** ms */
  cacheTtlMs?: number;
  volatile?: boolean;
  parallelSafe?: boolean;
  execute(args: z.output<S>, context: ToolContext, signal: AbortSignal): Promise<ToolResult>;
}

/** Makes a tool whose `execute` sees checked arguments only; wrong ones are told to the model and nothing runs. */
export function defineTool<S extends z.ZodObject>(definition: ToolDefinition<S>): Tool {
  const { name, description, schema, effect, timeoutMs, cacheTtlMs, volatile, parallelSafe, execute } = definition;
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return {
    name,
    description,
    parameters,
    effect,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(cacheTtlMs !== undefined && { cacheTtlMs }),
    ...(volatile && { volatile }),
    ...(parallelSafe !== undefined && { parallelSafe }),
    async execute(args, context, signal) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return execute(parsed.data, context, signal);
      return { text: `Invalid arguments for ${name}, nothing was run:\n${z.prettifyError(parsed.error)}`, isError: true };
    },
  };
}
