import { parseArgs } from 'node:util';
import { agentSchema } from './agents.schema.js';
import { configFileSchema, type Config, type ParsedConfig } from './config.schema.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { readConfigFile } from './config-file.js';
import { adminTokenProblem, crossProblems } from './cross-checks.js';
import { describeIssue } from './describe-issue.js';
import { applyEnvironment } from './env-overrides.js';
import { Environment, type Env } from './environment.js';
import {
  adoptMcpAliases,
  inheritedBy,
  mcpProblems,
  readMcpLock,
  resolveMcpServers,
  type McpServerConfig,
} from './mcp-servers.js';
import { aliasProblems, realModel } from './model-aliases.js';
import { defaultModel, providerProblems, resolveProvider, type ProviderConfig } from './model-providers.js';
import { secretValues } from './redact-config.js';
import type { AgentConfig } from './tenant.schema.js';

export interface ConfigOptions {
  /** Default: the environment of this process. Nothing else in Turnpike reads it. */
  env?: Env;
  /** Command-line words; `--config <file>` is read, the rest is left to others. */
  argv?: readonly string[];
  /** The file; else `--config`, else TURNPIKE_CONFIG, else ./turnpike.json5 if there is one. */
  file?: string;
  /** All parts in one process for one person: listens on 127.0.0.1 and makes its own admin token. */
  standalone?: boolean;
}

const DEFAULT_FILE = 'turnpike.json5';

/** Reads file and environment once. Throws ConfigError with everything that is wrong. */
export function loadConfig({ env = process.env, argv = [], file, standalone = false }: ConfigOptions = {}): Config {
  const problems: ConfigProblem[] = [];
  const environment = new Environment(env, problems);
  const named = file ?? fileFromArguments(argv) ?? (env.TURNPIKE_CONFIG || undefined);
  const path = named ?? DEFAULT_FILE;
  const raw = readConfigFile(path, named !== undefined, environment, problems);
  adoptMcpAliases(raw, problems);
  const sources = applyEnvironment(raw, environment);
  const parsed = configFileSchema.safeParse(raw);
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap((issue) => describeIssue(issue, { raw, file: path, env: sources }));
    throw new ConfigError([...problems, ...withoutSecrets(issues, raw)]);
  }
  const { mcp, mcpServers } = parsed.data;
  const inherited = inheritedBy(environment);
  const servers = resolveMcpServers(mcpServers, readMcpLock(mcp.lockFile, problems), inherited);
  const config = complete({ ...parsed.data, mcp: { ...mcp, inherited } }, servers, standalone ? '127.0.0.1' : '0.0.0.0');
  problems.push(
    ...providerProblems(parsed.data.models.providers),
    ...aliasProblems(parsed.data.models.aliases),
    ...mcpProblems(mcpServers),
    ...crossProblems(config),
    ...(standalone ? [] : adminTokenProblem(config)),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** A secret may stand in a wrong place as well. */
function withoutSecrets(issues: readonly ConfigProblem[], raw: object): ConfigProblem[] {
  const secrets = secretValues(raw);
  return issues.map(({ path, message }) => ({
    path,
    message: secrets.reduce((text, one) => text.replaceAll(one, '***'), message),
  }));
}

function fileFromArguments(argv: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...argv], options: { config: { type: 'string' } }, strict: false });
  return typeof values.config === 'string' ? values.config : undefined;
}

/** Defaults that depend on other options. */
function complete(
  parsed: Omit<ParsedConfig, 'mcp'> & Pick<Config, 'mcp'>,
  mcpServers: Record<string, McpServerConfig>,
  host: string,
): Config {
  const providers: Record<string, ProviderConfig> = {};
  for (const [id, options] of Object.entries(parsed.models.providers)) {
    const provider = resolveProvider(id, options);
    if (provider) providers[id] = provider;
  }
  const { aliases } = parsed.models;
  const real = (name = defaultModel(providers)) => realModel(name, aliases);
  const tenants = Object.entries(parsed.tenants).map(([id, tenant]) => [id, { ...tenant, agents: withModels(tenant, real) }]);
  return {
    ...parsed,
    mcpServers,
    http: { host, ...parsed.http },
    ops: { host, ...parsed.ops },
    agents: withModels(parsed, real),
    models: { ...parsed.models, aliases: mapValues(aliases, real), providers },
    tenants: Object.fromEntries(tenants),
  };
}

/** Who configures no agent gets one. Aliases become the models they stand for. */
function withModels({ agents }: Pick<ParsedConfig, 'agents'>, real: (name?: string) => string): Record<string, AgentConfig> {
  const named = Object.keys(agents).length > 0 ? agents : { main: agentSchema.parse({}) };
  return mapValues(named, ({ utilityModel, ...agent }) => ({
    ...agent,
    model: real(agent.model),
    fallbacks: agent.fallbacks.map((name) => real(name)),
    ...(utilityModel !== undefined && { utilityModel: real(utilityModel) }),
  }));
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, to: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));
}
