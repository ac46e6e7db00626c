import { z } from 'zod';
import { mcpAnnotationsSchema, mcpToolSchema } from '#contracts';
import { ms, ONE_DAY_MS } from './option-types.js';

/** A tool that is declared here: by name alone it takes any arguments until the lock or the server itself says more. */
const declaredToolSchema = z.union([
  z.string().min(1).max(256),
  z.strictObject({ ...mcpToolSchema.shape, annotations: z.strictObject(mcpAnnotationsSchema.shape).optional() }),
]);

const masked = z.string().meta({ secret: 'perhaps' });

/** One MCP server (TO-4). Live: a change counts from the next turn. */
const mcpServerSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('false: none of its tools exist'),
  type: z
    .enum(['stdio', 'http', 'streamable-http', 'sse'])
    .optional()
    .describe('Default: stdio with `command`, http with `url`; sse is the older transport over HTTP'),
  command: z.string().min(1).optional().describe('Program to start; the server speaks on its standard input and output'),
  args: z.array(z.string()).default([]).describe('Its arguments'),
  env: z.record(z.string().min(1), masked).default({}).describe('Variables of its own, beside the few every server gets'),
  cwd: z.string().min(1).optional().describe('Directory it starts in'),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Endpoint of a server that runs elsewhere'),
  headers: z.record(z.string().min(1), masked).default({}).describe('Sent with each request to it'),
  tools: z.array(declaredToolSchema).optional().describe('The tools to use; default: all it has'),
  connectTimeoutMs: ms(100, 600_000).default(30_000).describe('How long a start and its handshake may take, ms'),
  listTimeoutMs: ms(100, 600_000).default(30_000).describe('How long the list of its tools may take, all pages, ms'),
  requestTimeoutMs: ms(100, ONE_DAY_MS)
    .default(60_000)
    .describe('A call that is silent for this long has failed, ms; progress counts as a sign of life'),
  totalTimeoutMs: ms(100, ONE_DAY_MS).default(600_000).describe('No call takes longer, whatever its progress, ms'),
  idleTimeoutMs: ms(0, ONE_DAY_MS)
    .default(600_000)
    .describe('A connection unused for this long is closed, and its process ended, ms; 0 = never'),
  maxResultChars: z.int().min(100).max(10_000_000).default(100_000).describe('Of a result the model reads this much'),
  maxMessageBytes: z
    .int()
    .min(1024)
    .max(1_073_741_824)
    .default(10_485_760)
    .describe('A message of the server that is larger ends the connection, bytes'),
});

export const mcpServersSchema = z.record(z.string().min(1).max(64), mcpServerSchema);

export const mcpSchema = z.strictObject({
  lockFile: z.string().min(1).default('mcp.lock.json').describe('Where `turnpike mcp discover` keeps what it found'),
  firstListWaitMs: ms(0, 60_000)
    .default(5000)
    .describe('How long the first turn of a process waits for servers whose tools nobody has listed yet, ms'),
});
export type McpServerOptions = z.output<typeof mcpServerSchema>;
