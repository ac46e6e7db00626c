import type { Command } from 'commander';
import { renameSync, writeFileSync } from 'node:fs';
import { readMcpLock, type Config, type McpServerConfig } from '#config';
import type { McpLock, McpToolList } from '#contracts';
import { Redactor } from '#telemetry';
import { describeInFull, differenceOf, listMcpTools, mcpToolNames, type Difference } from '#tools';
import { CliError, EXIT } from './cli-error.js';
import { localConfig } from './local-config.js';
import type { Streams } from './streams.js';

interface McpOptions {
  config?: string;
  json?: true;
}

/** A server that was asked. */
interface Asked {
  server: string;
  ms: number;
  found?: McpToolList;
  problem?: string;
}

export function mcpCommand(turnpike: Command, streams: Streams): void {
  const mcp = turnpike.command('mcp').summary('MCP servers of the configuration, and their tools');
  const add = (name: string, summary: string, more: string, run: (config: Config, servers: string[], json: boolean) => unknown) =>
    mcp
      .command(name)
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}. ${more}`)
      .argument('[servers...]', 'some of the servers (default: all)')
      .option('--config <file>', 'configuration file (default: TURNPIKE_CONFIG, else ./turnpike.json5)')
      .option('--json', 'print JSON')
      .action(async (servers: string[], { config: file, json }: McpOptions) => {
        await run(localConfig(file), servers, json === true);
      });
  const list = 'Reads the configuration and the lock; connects to nothing.';
  add('list', 'what is known of the servers and their tools', list, (config, servers, json) =>
    listServers(chosen(config, servers), json, streams),
  );
  add(
    'test',
    'connect to the servers and compare',
    'Exit code 1 when one of them does not answer.',
    async (config, servers, json) => testServers(chosen(config, servers), json, streams),
  );
  const lock =
    'So the tools are known, with their schemas, before anybody has connected. Servers that do not answer keep what the lock says.';
  add('discover', 'ask the servers for their tools and write mcp.lock.json', lock, async (config, servers, json) =>
    discover(config, chosen(config, servers), json, streams),
  );
}

type Servers = [string, McpServerConfig][];

function chosen({ mcpServers }: Config, named: readonly string[]): Servers {
  const unknown = named.find((name) => !Object.hasOwn(mcpServers, name));
  const known = Object.keys(mcpServers).join(', ') || 'none';
  if (unknown !== undefined) throw new CliError(EXIT.usage, `"${unknown}" is no MCP server here. Configured: ${known}.`);
  return Object.entries(mcpServers).filter(([name]) => named.length === 0 || named.includes(name));
}

function listServers(servers: Servers, json: boolean, { stdout }: Streams): void {
  const ids = servers.flatMap(([server, { known }]) => known.map(({ name }) => ({ server, tool: name })));
  const names = mcpToolNames(ids);
  const tools = ids.map((id, i) => ({ ...id, name: names[i] }));
  if (json) return void stdout.write(`${JSON.stringify(tools)}\n`);
  for (const [server, config] of servers) {
    const own = tools.filter((tool) => tool.server === server);
    stdout.write(`${server}  ${whereIs(config)}\n`);
    if (own.length === 0) stdout.write('  its tools are not known; run `turnpike mcp discover`, or name them under `tools`\n');
    for (const { name } of own) stdout.write(`  ${name}\n`);
  }
  if (servers.length === 0) stdout.write('No MCP servers are configured; add some under `mcpServers`.\n');
}

async function testServers(servers: Servers, json: boolean, { stdout }: Streams): Promise<void> {
  const asked = await Promise.all(servers.map(ask));
  for (const one of asked) {
    const known = servers.find(([server]) => server === one.server)?.[1].known ?? [];
    const difference = one.found && differenceOf(known, one.found.tools);
    stdout.write(json ? `${JSON.stringify({ ...one, difference })}\n` : describe(one, known.length > 0 ? difference : undefined));
  }
  complain(asked);
}

async function discover(config: Config, servers: Servers, json: boolean, { stdout }: Streams): Promise<void> {
  const asked = await Promise.all(servers.map(ask));
  writeLock(config, asked);
  for (const one of asked) stdout.write(json ? `${JSON.stringify(one)}\n` : describe(one, undefined));
  if (!json) stdout.write(`Written to ${config.mcp.lockFile}.\n`);
  complain(asked);
}

async function ask([server, config]: [string, McpServerConfig]): Promise<Asked> {
  const before = performance.now();
  const took = (): number => Math.round(performance.now() - before);
  try {
    return { server, found: await listMcpTools(server, config), ms: took() };
  } catch (error) {
    // Its last words may be what it was given.
    const given = new Redactor(Object.values(config.type === 'stdio' ? config.env : config.headers));
    return { server, problem: given.clean(describeInFull(error)), ms: took() };
  }
}

function describe({ server, ms, found, problem }: Asked, difference: Difference | undefined): string {
  if (!found) return `${server}  failed after ${ms} ms: ${problem}\n`;
  const head = `${server}  ${found.server}, MCP ${found.protocol}, ${found.tools.length} tools, ${ms} ms\n`;
  const differs = Object.entries(difference ?? {}).flatMap(([how, names]) =>
    names.length > 0 ? [`  ${how}: ${names.join(', ')}\n`] : [],
  );
  return [head, ...differs].join('');
}

/** As a whole or not at all: runners read it. Servers that were not asked, or did not answer, keep what it says; others leave it. */
function writeLock({ mcp: { lockFile }, mcpServers }: Config, asked: readonly Asked[]): void {
  const before = readMcpLock(lockFile, [])?.servers ?? {};
  const found = new Map(asked.map((one) => [one.server, one.found]));
  const servers = Object.keys(mcpServers).flatMap((server) => {
    const tools = found.get(server) ?? before[server];
    return tools ? [[server, tools] as const] : [];
  });
  const lock: McpLock = { lockVersion: 1, servers: Object.fromEntries(servers) };
  const partial = `${lockFile}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(lock, undefined, 2)}\n`);
  renameSync(partial, lockFile);
}

function complain(asked: readonly Asked[]): void {
  const failed = asked.filter(({ found }) => !found).map(({ server }) => server);
  if (failed.length > 0) throw new CliError(EXIT.error, `No answer from ${failed.join(', ')}.`);
}

function whereIs(config: McpServerConfig): string {
  return config.type === 'stdio' ? [config.command, ...config.args].join(' ') : `${config.type} ${config.url}`;
}
