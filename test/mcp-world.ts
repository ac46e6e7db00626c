import { fileURLToPath } from 'node:url';
import { loadConfig } from '#config';
import type { Tool, ToolContext, ToolResult } from '#agent';
import { McpSource, type McpOptions, type SharedList, type SharedLists } from '#tools';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program among the dev dependencies, as a `command` of the configuration. */
export function published(name: 'everything' | 'filesystem', ...args: string[]): { command: string; args: string[] } {
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));
  return { command: process.execPath, args: [program, ...args] };
}

/** Two sources on one of these are two runners. */
class FleetLists implements SharedLists {
  readonly lists = new Map<string, SharedList>();

  async read(): Promise<ReadonlyMap<string, SharedList>> {
    return new Map(this.lists);
  }

  async write(server: string, list: SharedList): Promise<void> {
    this.lists.set(server, list);
  }
}

/** The MCP servers of one runner, as a configuration file names them. */
export class McpWorld implements McpOptions, AsyncDisposable {
  readonly source: McpSource;
  readonly differences: { server: string; added: string[]; missing: string[]; changed: string[] }[] = [];
  readonly troubles: string[] = [];
  /** ms, by which the clock of the servers is ahead. */
  ahead = 0;
  /** Changes that were told to the catalog. */
  readonly told: string[] = [];
  readonly #dir = mkdtempSync(join(tmpdir(), 'turnpike-mcp-'));
  readonly #listeners = new Set<() => void>();
  #config;

  constructor(
    servers: object,
    readonly fleet = new FleetLists(),
  ) {
    this.#config = this.#read(servers);
    const clock = { now: () => Date.now(), monotonic: () => performance.now() + this.ahead };
    this.source = new McpSource(
      this,
      fleet,
      {
        differs: (server, difference) => void this.differences.push({ server, ...difference }),
        troubled: (server, what) => void this.troubles.push(`${server}: ${what}`),
      },
      clock,
    );
    this.source.onChange((scope) => void this.told.push(scope));
  }

  get current() {
    return this.#config;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get names(): string[] {
    return this.source.tools().map(({ tool }) => tool.name);
  }

  tool(name: string): Tool {
    const found = this.source.tools().find(({ tool }) => tool.name === name);
    if (!found) throw new Error(`No tool ${name} among ${this.names.join(', ')}`);
    return found.tool;
  }

  call(
    name: string,
    args: Record<string, unknown> = {},
    given: Partial<ToolContext> = {},
    signal?: AbortSignal,
  ): Promise<ToolResult> {
    const sends = { canSendNow: false, now: never, atEnd: never };
    const context = { tenant: 'default', session: 's', turn: 't', callId: 'c', sends, ...given } as ToolContext;
    return this.tool(name).execute(args, context, signal ?? AbortSignal.timeout(30_000));
  }

  reload(servers: object): void {
    this.#config = this.#read(servers);
    for (const listener of this.#listeners) listener();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.source.close();
    rmSync(this.#dir, { recursive: true });
  }

  #read(servers: object) {
    const file = join(this.#dir, 'turnpike.json5');
    writeFileSync(file, JSON.stringify({ mcpServers: servers, mcp: { lockFile: join(this.#dir, 'mcp.lock.json') } }));
    return loadConfig({ file, standalone: true });
  }
}

function never(): never {
  throw new Error('An MCP tool sends nothing');
}
