import { ProtocolError } from '@modelcontextprotocol/client';
import type { Tool, ToolEffect, ToolResult } from '#agent';
import type { McpServerConfig } from '#config';
import type { McpTool } from '#contracts';
import { resultText } from './call-result.js';
import { AnswerNeeded, askPerson, NO_ANSWERS, takeAnswer } from './elicitation.js';
import { describeFailure, ServerPaused } from './failures.js';
import { descriptionOf, parametersOf } from './input-schema.js';
import type { McpServers } from './mcp-servers.js';

/** Of an error a server answers with. */
const MOST_ERROR = 2000;

/** How an agent sees a tool of a server. `name` is what the model calls it. */
export function mcpTool(servers: McpServers, id: string, config: McpServerConfig, name: string, tool: McpTool): Tool {
  const effect = effectOf(tool);
  return {
    name,
    description: descriptionOf(id, tool),
    parameters: parametersOf(tool),
    effect,
    timeoutMs: config.connectTimeoutMs + config.totalTimeoutMs,
    // "Reads only" does not say that it reads the same each time.
    volatile: true,
    async execute(args, { answered, trace }, signal) {
      const answers = answered ? takeAnswer(id, answered.resume, answered.text) : NO_ANSWERS;
      if ('text' in answers) return answers;
      try {
        const server = servers.get(id);
        if (!server) return failed(id, 'it has left the configuration');
        return resultText(await server.call({ tool: tool.name, args, answers, trace }, signal), config.maxResultChars);
      } catch (error) {
        signal.throwIfAborted();
        return error instanceof AnswerNeeded ? askPerson(id, error, answers) : failed(id, reasonOf(error));
      }
    },
  };
}

/** What the server says of a tool decides what a crash does to a call of it; a server that says nothing is not called twice. */
function effectOf({ annotations: { readOnlyHint, idempotentHint } = {} }: McpTool): ToolEffect {
  if (readOnlyHint) return 'pure';
  return idempotentHint ? 'idempotent' : 'once';
}

function reasonOf(error: unknown): string {
  if (error instanceof ProtocolError) return `it answered with an error: ${error.message.slice(0, MOST_ERROR)}`;
  if (error instanceof ServerPaused) return `${error.message}; do without its tools`;
  return describeFailure(error);
}

function failed(id: string, why: string): ToolResult {
  return { text: `The MCP server "${id}" did not do it: ${why}.`, isError: true };
}
