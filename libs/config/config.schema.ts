import { z } from 'zod';
import type { ProviderConfig } from './model-providers.js';
import { modelsSchema } from './models.schema.js';
import { authSchema } from './auth.schema.js';
import { lanesSchema, toolsSchema } from './lanes.schema.js';
import { limitsSchema } from './limits.schema.js';
import { mcpSchema, mcpServersSchema } from './mcp.schema.js';
import type { McpServerConfig } from './mcp-servers.js';
import { nameSchema } from './option-types.js';
import { pluginsSchema } from './plugins.schema.js';
import { httpSchema, logSchema, opsSchema, redisSchema, shutdownSchema } from './server.schema.js';
import { tenantSchema, tenantSections, type TenantConfig } from './tenant.schema.js';

/** What the file may say, with every default. The one list of options: the JSON Schema, the masking and the errors follow it. */
export const configFileSchema = z.strictObject({
  production: z.boolean().default(false).describe('Refuse unsafe settings; NODE_ENV=production sets it'),
  http: httpSchema.prefault({}),
  ops: opsSchema.prefault({}),
  redis: redisSchema.prefault({}),
  auth: authSchema.prefault({}),
  ...tenantSections,
  tenants: z.record(nameSchema, tenantSchema).prefault({}),
  models: modelsSchema.prefault({}),
  tools: toolsSchema.prefault({}),
  mcpServers: mcpServersSchema.prefault({}),
  mcp: mcpSchema.prefault({}),
  plugins: pluginsSchema.prefault({}),
  lanes: lanesSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  shutdown: shutdownSchema.prefault({}),
  log: logSchema.prefault({}),
});
export type ParsedConfig = z.output<typeof configFileSchema>;

/** The whole configuration, checked, with nothing left to default. What belongs to a tenant is read through tenantConfig. */
export type Config = Omit<ParsedConfig, 'models' | 'mcp' | 'mcpServers'> &
  TenantConfig & {
    http: { host: string };
    ops: { host: string };
    tenants: Record<string, TenantConfig>;
    mcpServers: Record<string, McpServerConfig>;
    /** `inherited`: of the environment, what every stdio server sees. */
    mcp: ParsedConfig['mcp'] & { inherited: Record<string, string> };
    models: Omit<ParsedConfig['models'], 'providers'> & { providers: Record<string, ProviderConfig> };
  };

export type HttpConfig = Config['http'];
export type OpsConfig = Config['ops'];
export type RedisConfig = Config['redis'];
export type AuthConfig = Config['auth'];
export type ModelsConfig = Config['models'];
export type MessageToolConfig = Config['tools']['message'];
export type LanesConfig = Config['lanes'];
export type LimitsConfig = Config['limits'];
export type ShutdownConfig = Config['shutdown'];
export type LogConfig = Config['log'];
