import { isDeepStrictEqual } from 'node:util';
import type { McpServerConfig } from '#config';
import type { Clock } from '#kernel';
import { McpServer } from './mcp-server.js';
import type { ListedTools } from './mcp-connection.js';

export interface ServersListener {
  listed(server: string, tools: ListedTools): void;
  troubled(server: string, what: string): void;
}

/** The MCP servers of this process, by the names of the configuration. */
export class McpServers {
  readonly #servers = new Map<string, McpServer>();
  readonly #closing = new Set<Promise<void>>();

  constructor(
    private readonly listener: ServersListener,
    private readonly clock: Clock,
  ) {}

  /** From now on it is these. What has not changed keeps its connection; what has is closed, calls and all. */
  configure(configs: Readonly<Record<string, McpServerConfig>>): void {
    for (const [id, server] of this.#servers) if (!isSame(server.config, configs[id])) this.#drop(id, server);
    for (const [id, config] of Object.entries(configs))
      if (!this.#servers.has(id)) this.#servers.set(id, this.#serverOf(id, config));
  }

  get(id: string): McpServer | undefined {
    return this.#servers.get(id);
  }

  get all(): McpServer[] {
    return [...this.#servers.values()];
  }

  /** Ends every connection and every process that was started. */
  async close(): Promise<void> {
    for (const [id, server] of this.#servers) this.#drop(id, server);
    await Promise.all(this.#closing);
  }

  #serverOf(id: string, config: McpServerConfig): McpServer {
    const { listener } = this;
    const listed = (tools: ListedTools): void => listener.listed(id, tools);
    return new McpServer(id, config, { listed, troubled: (what) => listener.troubled(id, what) }, this.clock);
  }

  #drop(id: string, server: McpServer): void {
    this.#servers.delete(id);
    const closing = server.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** What is known of its tools is no reason to start it anew. */
function isSame(running: McpServerConfig, wanted: McpServerConfig | undefined): boolean {
  const itself = (config: McpServerConfig): object => ({ ...config, known: [], only: [], annotations: {} });
  return wanted !== undefined && isDeepStrictEqual(itself(running), itself(wanted));
}
