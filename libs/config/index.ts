export type {
  AuthConfig,
  Config,
  HttpConfig,
  LanesConfig,
  LimitsConfig,
  LogConfig,
  MessageToolConfig,
  ModelsConfig,
  OpsConfig,
  RedisConfig,
  ShutdownConfig,
} from './config.schema.js';
export { accountOwners, accountsOf, defaultAgentOf, pluginAccountsOf, type PluginAccount } from './channel-accounts.js';
export { routingRules } from './routing-rules.js';
export type { AgentConfig, TenantConfig } from './tenant.schema.js';
export { agentConfig, DEFAULT_TENANT, goneAgent, tenantConfig, tenantsOf } from './tenants.js';
export type { ApiToken } from './auth.schema.js';
export { accountSectionNames, builtInChannels, type AccountConfigs, type AccountSection } from './channels.schema.js';
export { channelQueue, type ChannelQueue } from './session-queue.schema.js';
export type { LogLevel } from './server.schema.js';
export { accountAccess } from './account-access.js';
export { ConfigError, type ConfigProblem } from './config-error.js';
export { ConfigSource, type ConfigListener, type Reload } from './config-source.js';
export type { Env } from './environment.js';
export { parseRedisUrl, type RedisAddress } from './redis-address.js';
export { allToolRules, toolRules, type PlacedRules, type ToolUser } from './tool-rules.js';
export { ownsAgents } from './owners.js';
export { limitsSchema } from './limits.schema.js';
export { loadConfig, type ConfigOptions } from './load-config.js';
export { readTracing } from './otel-environment.js';
export { redactConfig, secretValues } from './redact-config.js';
export { modelLimits } from './model-limits.js';
export { readMcpLock, readMcpServers, type McpServerConfig, type McpTarget } from './mcp-servers.js';
