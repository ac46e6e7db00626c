import { z } from 'zod';
import { ms } from './option-types.js';

/** Ids of plugins are folder names, file names and parts of keys. */
const pluginIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
  .describe('1 to 64 of A-Z a-z 0-9 _ -, the first a letter or digit');

/** Live: a change counts from the next turn (TO-3). */
export const pluginsSchema = z.strictObject({
  enabled: z.boolean().default(true).describe('false: no plugin is loaded at all'),
  blockedMs: ms(1000, 600_000)
    .default(15_000)
    .describe('A plugin that holds up its process for so long ends it, ms; after three times in a day it is left out'),
  directory: z.string().min(1).default('data/plugins').describe('Where `turnpike plugins install` puts plugins'),
  load: z
    .strictObject({
      paths: z
        .array(z.string().min(1).describe('A folder'))
        .default([])
        .describe('Folders of plugins, or of one plugin: what holds turnpike.plugin.json or openclaw.plugin.json'),
      packages: z
        .array(z.string().min(1).describe('A package name'))
        .default([])
        .describe('npm packages that are plugins, installed in node_modules here or above'),
    })
    .prefault({}),
  entries: z
    .record(
      pluginIdSchema,
      z.strictObject({
        enabled: z.boolean().optional().describe('Default: true, for a plugin that comes with Turnpike what its manifest says'),
        config: z
          .record(z.string(), z.unknown().meta({ secret: 'perhaps' }))
          .default({})
          .describe("The plugin's own options, checked against its manifest"),
      }),
    )
    .prefault({}),
  slots: z
    .strictObject({
      contextEngine: z.string().optional().describe('The plugin whose context engine is used; default: the built-in one'),
      memory: z.string().optional().describe('The plugin whose memory agents may search and write; default: none'),
    })
    .prefault({}),
});
