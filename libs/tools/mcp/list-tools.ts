import type { McpServerConfig } from '#config';
import type { McpToolList } from '#contracts';
import { systemClock } from '#kernel';
import { McpServer } from './mcp-server.js';

/** Connects to a server, asks for its tools, and leaves nothing running. Rejects with what went wrong. */
export async function listMcpTools(id: string, config: McpServerConfig): Promise<McpToolList> {
  const nobody = { listed: () => undefined, troubled: () => undefined };
  const server = new McpServer(id, config, nobody, systemClock);
  try {
    const signal = AbortSignal.timeout(config.connectTimeoutMs + config.listTimeoutMs);
    const { server: version, protocol, tools } = await server.list(signal);
    return { server: version, protocol, tools };
  } finally {
    await server.close();
  }
}
