import { z } from 'zod';

/** Whatever a tool says of its arguments until its server has been asked. */
const ANY_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: true };

/** What a server says of a tool's effect; hints, which the operator trusts as far as the server. MCP 2025-11-25, ToolAnnotations. */
export const mcpAnnotationsSchema = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/** A tool as its MCP server describes it: in the configuration, in mcp.lock.json, and as it was last listed. */
export const mcpToolSchema = z.object({
  name: z.string().min(1).max(256),
  description: z.string().default(''),
  inputSchema: z.record(z.string(), z.unknown()).default(ANY_ARGUMENTS),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: mcpAnnotationsSchema.optional(),
});
export type McpTool = z.output<typeof mcpToolSchema>;

/** All tools of one server at one time. */
export const mcpToolListSchema = z.object({
  /** The name and version the server gives itself; '' where it gives none. */
  server: z.string(),
  /** The revision of MCP that was spoken. */
  protocol: z.string(),
  tools: z.array(mcpToolSchema),
});
export type McpToolList = z.output<typeof mcpToolListSchema>;

/** mcp.lock.json, as `turnpike mcp discover` writes it. */
export const mcpLockSchema = z.object({
  lockVersion: z.literal(1),
  servers: z.record(z.string(), mcpToolListSchema),
});
export type McpLock = z.output<typeof mcpLockSchema>;
