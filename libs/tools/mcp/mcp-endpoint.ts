import { createMcpHandler, McpServer, type ServerContext, type ToolAnnotations } from '@modelcontextprotocol/server';
import type { z } from 'zod';

/** What a tool that Turnpike serves answers: text for a model, and the same as data. */
export interface EndpointAnswer {
  text: string;
  data?: Record<string, unknown>;
  isError?: boolean;
}

/** One call of a tool that Turnpike serves. */
export interface EndpointCall<Caller> {
  /** As the transport authenticated it; nothing in the arguments can name another. */
  caller: Caller;
  /** Fires when the client has cancelled the call, or is gone. */
  signal: AbortSignal;
  /** Tells a client that wants to know that the call gets on. */
  progress(message: string): void;
}

interface ToolDefinition<Caller, Schema extends z.ZodObject> {
  name: string;
  description: string;
  schema: Schema;
  annotations: ToolAnnotations;
  run(args: z.output<Schema>, call: EndpointCall<Caller>): Promise<EndpointAnswer>;
}

/** A tool that Turnpike serves, with its arguments checked. */
export interface EndpointTool<Caller> {
  register(server: McpServer, caller: Caller): void;
}

export function endpointTool<Caller, Schema extends z.ZodObject>(
  definition: ToolDefinition<Caller, Schema>,
): EndpointTool<Caller> {
  const { name, description, schema, annotations, run } = definition;
  const inputSchema: z.ZodObject = schema;
  return {
    register(server, caller) {
      server.registerTool(name, { description, inputSchema, annotations }, async (args, context) => {
        const { text, data, isError = false } = await run(schema.parse(args), callOf(caller, context));
        return { content: [{ type: 'text', text }], ...(data && { structuredContent: data }), isError };
      });
    },
  };
}

/**
 * Answers one HTTP request to an MCP endpoint (TO-11): 2026-07-28, and 2025-11-25 and older without sessions, so that every
 * request may meet another replica.
 */
export async function answerMcp<Caller>(
  tools: readonly EndpointTool<Caller>[],
  caller: Caller,
  { request, body, version }: { request: Request; body: unknown; version: string },
): Promise<Response> {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'turnpike', version });
    for (const tool of tools) tool.register(server, caller);
    return server;
  });
  return handler.fetch(request, { parsedBody: body });
}

function callOf<Caller>(caller: Caller, { mcpReq }: ServerContext): EndpointCall<Caller> {
  let progress = 0;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    caller,
    signal: mcpReq.signal,
    progress(message) {
      if (progressToken === undefined) return;
      progress += 1;
      const params = { progressToken, progress, message };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined); // the client is gone
    },
  };
}
