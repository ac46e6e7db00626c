import { z } from 'zod';
import { agentsSchema, modelsSchema } from './agents.schema.js';
import { authSchema } from './auth.schema.js';
import { channelsSchema } from './channels.schema.js';
import { lanesSchema, limitsSchema, toolsSchema } from './lanes.schema.js';
import { httpSchema, logSchema, opsSchema, redisSchema, shutdownSchema } from './server.schema.js';

/** What the file may say, with every default. The one list of options: the JSON Schema, the masking and the errors follow it. */
export const configFileSchema = z.strictObject({
  production: z.boolean().default(false).describe('Refuse unsafe settings; NODE_ENV=production sets it'),
  http: httpSchema.prefault({}),
  ops: opsSchema.prefault({}),
  redis: redisSchema.prefault({}),
  auth: authSchema.prefault({}),
  agents: agentsSchema,
  models: modelsSchema.prefault({}),
  channels: channelsSchema.prefault({}),
  tools: toolsSchema.prefault({}),
  lanes: lanesSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  shutdown: shutdownSchema.prefault({}),
  log: logSchema.prefault({}),
});
export type ParsedConfig = z.output<typeof configFileSchema>;

export type AgentConfig = ParsedConfig['agents'][string] & { model: string };

/** The whole configuration, checked, with nothing left to default. */
export type Config = ParsedConfig & {
  http: { host: string };
  ops: { host: string };
  /** `main` always exists. */
  agents: Record<string, AgentConfig> & { main: AgentConfig };
};

export type HttpConfig = Config['http'];
export type OpsConfig = Config['ops'];
export type RedisConfig = Config['redis'];
export type AuthConfig = Config['auth'];
export type ModelsConfig = Config['models'];
export type ChannelsConfig = Config['channels'];
export type MessageToolConfig = Config['tools']['message'];
export type LanesConfig = Config['lanes'];
export type LimitsConfig = Config['limits'];
export type ShutdownConfig = Config['shutdown'];
export type LogConfig = Config['log'];
