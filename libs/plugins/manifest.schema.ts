import { z } from 'zod';

export const MANIFEST_FILES = ['turnpike.plugin.json', 'openclaw.plugin.json'] as const;

const jsonSchema = z.record(z.string(), z.unknown());

const namesSchema = z.array(z.string().min(1)).default([]);

const toolMetadataSchema = z.looseObject({
  optional: z.boolean().optional(),
  ownerOnly: z.boolean().optional(),
  group: z.string().optional(),
  /** Of a tool whose code loads at its first use: what models read until then, and after. */
  description: z.string().optional(),
  parameters: jsonSchema.optional(),
});

/**
 * What is known of a plugin without running it (TO-3). The fields are those of `openclaw.plugin.json` that have a meaning
 * here; others are tolerated and ignored.
 */
export const pluginManifestSchema = z.looseObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 of A-Z a-z 0-9 _ -'),
  name: z.string().optional(),
  description: z.string().default(''),
  version: z.string().optional(),
  /** Counts for plugins that come with Turnpike; what an operator adds is enabled unless it is disabled. */
  enabledByDefault: z.boolean().default(false),
  requiresPlugins: z.array(z.string()).default([]),
  /** `onStartup: false`: the code is loaded when one of its tools is first called. */
  activation: z.looseObject({ onStartup: z.boolean().default(true) }).prefault({}),
  configSchema: jsonSchema.default({ type: 'object', additionalProperties: false }),
  contracts: z.looseObject({ tools: namesSchema, commands: namesSchema, httpRoutes: namesSchema }).prefault({}),
  toolMetadata: z.record(z.string(), toolMetadataSchema).default({}),
  mcpServers: z.record(z.string(), z.unknown()).default({}),
  /** Names of the channels that its code registers. */
  channels: namesSchema,
  /** What an account of each of them needs: the schema of `channels.plugins.<channel>.accounts.<account>.config`. */
  channelConfigs: z.record(z.string(), z.looseObject({ schema: jsonSchema })).default({}),
  providers: namesSchema,
  skills: z.array(z.string()).default([]),
});
export type PluginManifest = z.output<typeof pluginManifestSchema>;
