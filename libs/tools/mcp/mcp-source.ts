import type { McpServerConfig } from '#config';
import type { McpToolList } from '#contracts';
import { describeError, raceSignal, systemClock, type Clock } from '#kernel';
import type { CatalogTool, ToolSource } from '../catalog/catalog-tool.js';
import { McpServers } from './mcp-servers.js';
import { mcpTool } from './mcp-tool.js';
import {
  areSame,
  definitionOf,
  differenceOf,
  toolsInUse,
  type Difference,
  type SharedList,
  type SharedLists,
} from './tool-lists.js';
import { mcpToolNames } from './tool-name.js';

type Scope = 'process' | 'fleet';

/** Where the running configuration is read. */
export interface McpOptions {
  readonly current: { mcpServers: Readonly<Record<string, McpServerConfig>> };
  onChange(listener: () => void): () => void;
}

export interface McpListener {
  /** The server does not have what the configuration, the lock or an earlier list says. What it has counts from the next turn. */
  differs(server: string, difference: Difference): void;
  troubled(server: string, what: string): void;
}

/**
 * The tools of MCP servers (TO-4). They are known before anybody has connected: from the configuration, from the lock, or
 * because a runner of the fleet has asked before; servers nobody knows anything of are asked at once, in the background.
 */
export class McpSource implements ToolSource {
  readonly kind = 'mcp';
  readonly #servers: McpServers;
  readonly #listeners = new Set<(scope: Scope) => void>();
  #lists: ReadonlyMap<string, SharedList> = new Map();
  readonly #stopListening: () => void;

  constructor(
    private readonly options: McpOptions,
    private readonly shared: SharedLists,
    private readonly listener: McpListener,
    clock: Clock = systemClock,
  ) {
    const listed = (server: string, list: McpToolList): void => void this.#listed(server, list);
    this.#servers = new McpServers({ listed, troubled: (server, what) => listener.troubled(server, what) }, clock);
    this.#servers.configure(this.#configs);
    this.#stopListening = options.onChange(() => {
      this.#servers.configure(this.#configs);
      this.#tell('process');
      void this.#askUnknown();
    });
  }

  /** Reads what the fleet knows, and asks the servers nobody knows, which the first turn waits for: at most so long. */
  async start(waitMs: number): Promise<void> {
    await this.refresh();
    await raceSignal(this.#askUnknown(), AbortSignal.timeout(waitMs)).catch(() => undefined);
  }

  tools(): readonly CatalogTool[] {
    const found = Object.entries(this.#configs).flatMap(([server, config]) =>
      toolsInUse(config, this.#listOf(server, config)).map((tool) => ({ server, config, tool })),
    );
    const names = mcpToolNames(found.map(({ server, tool }) => ({ server, tool: tool.name })));
    return found.map(({ server, config, tool }, i) => ({
      tool: mcpTool(this.#servers, server, config, names[i] ?? tool.name, tool),
      origin: { kind: 'mcp', server },
    }));
  }

  async refresh(): Promise<void> {
    try {
      this.#lists = await this.shared.read();
    } catch (error) {
      this.listener.troubled('all', `what other runners know of their tools was not read: ${describeError(error)}`);
    }
  }

  onChange(listener: (scope: Scope) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all connections and all processes. */
  async close(): Promise<void> {
    this.#stopListening();
    await this.#servers.close();
  }

  get #configs(): Readonly<Record<string, McpServerConfig>> {
    return this.options.current.mcpServers;
  }

  #listOf(server: string, config: McpServerConfig): SharedList | undefined {
    const list = this.#lists.get(server);
    return list?.of === definitionOf(config) ? list : undefined;
  }

  async #askUnknown(): Promise<void> {
    const unknown = Object.entries(this.#configs).filter(
      ([server, config]) => config.known.length === 0 && this.#listOf(server, config) === undefined,
    );
    await Promise.all(unknown.map(async ([server]) => this.#ask(server)));
  }

  async #ask(server: string): Promise<void> {
    const { connectTimeoutMs = 0, listTimeoutMs = 0 } = this.#configs[server] ?? {};
    const signal = AbortSignal.timeout(connectTimeoutMs + listTimeoutMs);
    const found = await this.#servers
      .get(server)
      ?.list(signal)
      .catch(() => undefined);
    if (found) await this.#listed(server, found);
  }

  /** Shared before it is told, so that a runner that hears of it finds it. */
  async #listed(server: string, { server: version, protocol, tools }: McpToolList): Promise<void> {
    const config = this.#configs[server];
    if (!config) return;
    const before = this.#listOf(server, config);
    const list = { of: definitionOf(config), server: version, protocol, tools };
    const [expected, found] = [toolsInUse(config, before), toolsInUse(config, list)];
    if (areSame(expected, found)) return;
    const difference = expected.length > 0 ? differenceOf(expected, found) : undefined;
    if (difference) this.listener.differs(server, difference);
    this.#lists = new Map(this.#lists).set(server, list);
    try {
      await this.shared.write(server, list);
    } catch (error) {
      this.listener.troubled(server, `its tools were not told to the other runners: ${describeError(error)}`);
    }
    this.#tell('fleet');
  }

  #tell(scope: Scope): void {
    for (const listener of this.#listeners) listener(scope);
  }
}
