import { readFileSync } from 'node:fs';
import { mcpLockSchema, mcpToolSchema, type McpLock, type McpTool } from '#contracts';
import type { ConfigProblem } from './config-error.js';
import { isRaw, type Raw } from './config-file.js';
import { errorCode, type Environment } from './environment.js';
import { mcpServersSchema, type McpServerOptions } from './mcp.schema.js';

/** Of this process' environment a stdio server sees these alone: what programs need to run, and no secret. */
const INHERITED = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** Names the option has elsewhere: in OpenClaw, and in the plugin of seed 000. */
const ALIASES = [
  ['mcp', 'servers'],
  ['mcp-adapter', 'config', 'servers'],
  ['plugins', 'entries', 'mcp-adapter', 'config', 'servers'],
];

/** Where a server is. The secrets in `env` and `headers` stand where the schema knows them to be masked. */
export type McpTarget =
  | {
      type: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      /** What it gets of this process' own environment, below `env`. */
      inherited: Readonly<Record<string, string>>;
      cwd?: string;
    }
  | { type: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

type McpLimits = Omit<McpServerOptions, 'type' | 'command' | 'args' | 'env' | 'cwd' | 'url' | 'headers' | 'tools'>;

/** A server with its defaults filled in, and what is known of its tools without asking it. */
export type McpServerConfig = McpLimits &
  McpTarget & {
    /** The tools that may be used, whatever else it has; undefined: all. */
    only?: readonly string[];
    /** As the configuration or the lock describes them; empty: nobody knows yet. */
    known: readonly McpTool[];
    /** What the operator says of a tool's effect, by its name: it counts more than what the server says. */
    annotations: Readonly<Record<string, McpTool['annotations']>>;
  };

/** Puts servers that stand under another name where they belong. The file may use one name only. */
export function adoptMcpAliases(raw: Raw, problems: ConfigProblem[]): void {
  for (const path of ALIASES) {
    const servers = take(raw, path);
    if (servers === undefined) continue;
    if (raw.mcpServers === undefined) raw.mcpServers = servers;
    else problems.push({ path: path.join('.'), message: 'is another name for mcpServers, which is set too; join the two' });
  }
}

/** Removes the value, and what it leaves empty on the way: `mcp-adapter` is no option of its own. */
function take(raw: Raw, [key = '', ...rest]: readonly string[]): unknown {
  const inside = raw[key];
  if (rest.length === 0) {
    delete raw[key];
    return inside;
  }
  if (!isRaw(inside)) return undefined;
  const found = take(inside, rest);
  if (found === undefined) return undefined;
  const { enabled, ...others } = inside;
  if (Object.keys(others).length === 0) delete raw[key];
  return enabled === false ? {} : found;
}

/** What is wrong with servers that no single option shows. */
export function mcpProblems(servers: Readonly<Record<string, McpServerOptions>>): ConfigProblem[] {
  return Object.entries(servers).flatMap(([id, { command, url, type }]) => {
    const path = `mcpServers.${id}`;
    if ((command === undefined) === (url === undefined))
      return [{ path, message: 'needs either `command` (a program to start) or `url` (a server that runs), and not both' }];
    const wanted = command === undefined ? 'url' : 'command';
    return type !== undefined && (type === 'stdio') !== (command !== undefined)
      ? [{ path: `${path}.type`, message: `${type} does not go with \`${wanted}\`; remove it` }]
      : [];
  });
}

/** `mcp.lock.json`; undefined where there is none. */
export function readMcpLock(file: string, problems: ConfigProblem[]): McpLock | undefined {
  const path = 'mcp.lockFile';
  try {
    const parsed = mcpLockSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (parsed.success) return parsed.data;
    problems.push({ path, message: `${file} is no lock of MCP tools; delete it and run \`turnpike mcp discover\`` });
  } catch (error) {
    if (error instanceof SyntaxError) problems.push({ path, message: `${file} is not valid JSON: ${error.message}` });
    else if (errorCode(error) !== 'ENOENT') problems.push({ path, message: `${file} cannot be read (${errorCode(error)})` });
  }
  return undefined;
}

/** Of this process' environment, what every stdio server sees. */
export function inheritedBy(environment: Environment): Record<string, string> {
  return Object.fromEntries(INHERITED.flatMap((name) => entry(name, environment.get(name))));
}

/** Fills in what the lock and the environment say. Disabled servers are left out. */
export function resolveMcpServers(
  servers: Readonly<Record<string, McpServerOptions>>,
  lock: McpLock | undefined,
  inherited: Readonly<Record<string, string>>,
): Record<string, McpServerConfig> {
  const enabled = Object.entries(servers).filter(([, { enabled: on }]) => on);
  return Object.fromEntries(
    enabled.map(([id, options]) => [id, resolve(options, lock?.servers[id]?.tools ?? [], inherited)] as const),
  );
}

function resolve(
  { type, command, args, env, cwd, url = '', headers, tools, ...limits }: McpServerOptions,
  locked: readonly McpTool[],
  inherited: Readonly<Record<string, string>>,
): McpServerConfig {
  const target: McpTarget =
    command === undefined
      ? { type: type === 'sse' ? 'sse' : 'http', url, headers }
      : { type: 'stdio', command, args, env, inherited, ...(cwd !== undefined && { cwd }) };
  if (tools === undefined) return { ...limits, ...target, known: locked, annotations: {} };
  const byName = new Map(locked.map((tool) => [tool.name, tool]));
  const known = tools.map((tool) =>
    typeof tool === 'string' ? (byName.get(tool) ?? mcpToolSchema.parse({ name: tool })) : tool,
  );
  const described = tools.filter((tool) => typeof tool !== 'string');
  const annotations = Object.fromEntries(described.map((tool) => [tool.name, tool.annotations]));
  return { ...limits, ...target, only: known.map(({ name }) => name), known, annotations };
}

/**
 * Servers that something else than the configuration file brings, as it writes them. Those that cannot be used are left out.
 * @param inherited of `Config.mcp`
 */
export function readMcpServers(
  raw: unknown,
  inherited: Readonly<Record<string, string>>,
): { servers: Record<string, McpServerConfig>; problems: ConfigProblem[] } {
  const parsed = mcpServersSchema.safeParse(raw);
  if (!parsed.success)
    return { servers: {}, problems: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })) };
  const problems = mcpProblems(parsed.data);
  return { servers: problems.length > 0 ? {} : resolveMcpServers(parsed.data, undefined, inherited), problems };
}

function entry(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}
