import type { Tool } from '#agent';
import { allToolRules, type ConfigSource } from '#config';
import { reloadConfig, type Platform } from '#host';
import { describeError } from '#kernel';
import type { Logger } from '#telemetry';
import { LiveCatalog, McpSource, nativeSource, policed, unknownNames, type ToolSource } from '#tools';
import { AllMcpServers } from './all-mcp-servers.js';
import { McpLists } from './mcp-lists.store.js';

/** The tools of this process: native ones first, then those of the other sources. @param added see AgentExtras */
export function catalogOf(
  source: ConfigSource,
  platform: Pick<Platform, 'catalog'>,
  added: readonly Tool[] | undefined,
  others: readonly ToolSource[],
  logger: Logger,
): LiveCatalog {
  const options = {
    get current() {
      return source.current;
    },
    onChange: (listener: () => void) => source.onChange(listener),
    refresh: () => reloadConfig(source, logger),
  };
  const quietly = (done: Promise<unknown>, lost: string): void =>
    void done.catch((error: unknown) => logger.warn({ error: describeError(error) }, lost));
  return new LiveCatalog([nativeSource(options, added), ...others], {
    built({ version, tools, refused }) {
      logger.info({ version, tools: tools.length }, 'Tool catalog built');
      for (const { message } of refused) logger.error(message);
      const known = tools.map(policed);
      for (const unknown of unknownNames(known, allToolRules(source.current)))
        logger.warn(unknown, 'A tools policy names what is not there');
      const listed = tools.map((found) => ({ ...policed(found), description: found.tool.description }));
      quietly(platform.catalog.publish(listed), 'The list of tools was not published: /tools shows an older one');
    },
    changed() {
      quietly(platform.catalog.bump(), 'The change of a tool was not told to the others');
    },
  });
}

/** The MCP servers of this process. Resolves when their tools are known, or `mcp.firstListWaitMs` is over. */
export async function mcpOf(
  source: ConfigSource,
  { request, keyspace }: Pick<Platform, 'request' | 'keyspace'>,
  logger: Logger,
): Promise<McpSource> {
  const mcp = new McpSource(new AllMcpServers(source, logger), new McpLists(request, keyspace), {
    differs: (server, difference) => logger.warn({ server, ...difference }, 'MCP server has other tools than expected'),
    troubled: (server, problem) => logger.warn({ server, problem }, 'MCP server is in trouble'),
  });
  await mcp.start(source.current.mcp.firstListWaitMs);
  return mcp;
}
