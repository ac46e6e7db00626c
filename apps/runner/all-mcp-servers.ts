import { readMcpServers, type Config, type ConfigSource, type McpServerConfig } from '#config';
import { planPlugins } from '#plugins';
import type { Logger } from '#telemetry';
import type { McpOptions } from '#tools';

type Servers = Readonly<Record<string, McpServerConfig>>;

/**
 * The MCP servers of the configuration, and those that the manifests of enabled plugins bring: a name of the configuration wins.
 * Programs of a plugin start in its folder. Read anew only with the configuration.
 */
export class AllMcpServers implements McpOptions {
  private known: { config: Config; mcpServers: Servers } | undefined;

  constructor(
    private readonly source: ConfigSource,
    private readonly logger: Logger,
  ) {}

  get current(): { mcpServers: Servers } {
    const config = this.source.current;
    if (this.known?.config !== config) this.known = { config, mcpServers: { ...this.ofPlugins(config), ...config.mcpServers } };
    return this.known;
  }

  onChange(listener: () => void): () => void {
    return this.source.onChange(listener);
  }

  private ofPlugins({ plugins: settings, mcp }: Config): Servers {
    const { plugins } = planPlugins(settings);
    const usable = plugins.filter(({ enabled, problems }) => enabled && problems.length === 0);
    return Object.fromEntries(usable.flatMap(({ manifest, root }) => this.of(manifest, root, mcp.inherited)));
  }

  private of(
    { id, mcpServers }: { id: string; mcpServers: object },
    root: string,
    inherited: Record<string, string>,
  ): [string, McpServerConfig][] {
    const { servers, problems } = readMcpServers(mcpServers, inherited);
    for (const { path, message } of problems)
      this.logger.error({ plugin: id, path }, `MCP servers of a plugin are left out: ${message}`);
    return Object.entries(servers).map(([name, server]) => [name, server.type === 'stdio' ? { cwd: root, ...server } : server]);
  }
}
