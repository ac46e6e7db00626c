import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { PluginEntry } from '#plugin-sdk';
import { TransientError } from '#kernel';
import { foreignApi } from './openclaw/foreign-api.js';
import type { PlannedPlugin } from './plan-plugins.js';
import { inPlugin } from './plugin-scope.js';
import type { PluginServices } from './plugin-services.js';
import { Registration } from './registration.js';

/** For its whole import: a module may wait for something while it is loaded, and must not hold up the runner. */
const IMPORT_MS = 10_000;

const entrySchema = z.looseObject({
  id: z.string(),
  configSchema: z.unknown().optional(),
  channelConfigs: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
  register: z.custom<PluginEntry['register']>((value) => typeof value === 'function', 'register must be a function'),
});

/**
 * Runs a plugin's code for the first time: imports it, lets it register, and holds it to its manifest. Throws what is wrong
 * in words for its author; nothing it has registered counts then.
 */
export async function loadPlugin(
  plugin: PlannedPlugin,
  services: PluginServices,
  others: (id: string) => unknown,
): Promise<Registration> {
  const { id } = plugin.manifest;
  const entry = entryOf(plugin, await inPlugin(id, undefined, () => importBounded(plugin)));
  const registration = new Registration(plugin, services, others);
  const api = plugin.foreign ? foreignApi(registration, (member) => void registration.lacking.add(member)) : registration;
  const returned: unknown = inPlugin(id, undefined, () => entry.register(api));
  registration.close();
  if (returned instanceof Promise) {
    returned.catch(() => undefined);
    throw new Error('register must be synchronous, and it returns a promise; what takes time belongs into a service or a tool');
  }
  mustAgree(plugin, entry, registration);
  return registration;
}

async function importBounded({ entry, root }: PlannedPlugin): Promise<unknown> {
  if (entry === undefined)
    throw new Error(
      `There is no module in ${root}: name it in package.json ("turnpike": {"extensions": ["./index.js"]}, or "main")`,
    );
  // A folder that is worked on: its entry is read again when it was changed.
  const url = `${pathToFileURL(entry).href}?v=${Math.trunc(statSync(entry).mtimeMs)}`;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new TransientError('timeout', `Its import did not end within ${IMPORT_MS / 1000} s`)),
    IMPORT_MS,
  );
  try {
    return await Promise.race([import(/* @vite-ignore */ url), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function entryOf({ entry = '', foreign, manifest }: PlannedPlugin, module: unknown): z.output<typeof entrySchema> {
  // A CommonJS module compiled from ESM has its default within the default.
  const exported = defaultOf(defaultOf(module));
  // OpenClaw takes a bare register function, too.
  if (foreign && typeof exported === 'function') return entrySchema.parse({ id: manifest.id, register: exported });
  const { data, error } = entrySchema.safeParse(exported);
  if (data) return data;
  const why = error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; ');
  throw new Error(`${entry} has to export what definePluginEntry or defineToolPlugin returns as its default (${why})`);
}

function defaultOf(module: unknown): unknown {
  return z.looseObject({ default: z.unknown() }).safeParse(module).data?.default ?? module;
}

/** The contract: what the code does is what the manifest has said, so that lists and prompts made from it are true. */
function mustAgree(plugin: PlannedPlugin, entry: z.output<typeof entrySchema>, registered: Registration): void {
  const { id, contracts, providers, channels, channelConfigs, configSchema } = plugin.manifest;
  const wrong = [
    ...(entry.id === id ? [] : [`the code calls itself ${entry.id}, the manifest ${id}`]),
    ...differences(plugin, 'contracts.tools', contracts.tools, [...registered.toolNames]),
    ...differences(plugin, 'contracts.commands', contracts.commands, [...registered.commands.keys()]),
    ...differences(plugin, 'contracts.httpRoutes', contracts.httpRoutes, [...new Set(registered.routes.map(({ path }) => path))]),
    ...differences(
      plugin,
      'providers',
      providers,
      registered.providers.map((provider) => provider.id),
    ),
    ...differences(
      plugin,
      'channels',
      channels,
      registered.channels.map(({ description }) => description.name),
    ),
    ...Object.entries(entry.channelConfigs ?? {}).flatMap(([channel, { schema }]) =>
      sameSchema(schema, channelConfigs[channel]?.schema)
        ? []
        : [`channelConfigs.${channel}.schema of the code is not the one of the manifest; copy it over`],
    ),
    ...(plugin.foreign || sameSchema(entry.configSchema, configSchema)
      ? []
      : ['configSchema of the code is not the one of the manifest; copy it over']),
  ];
  if (wrong.length > 0) throw new Error(`Code and manifest differ: ${wrong.join('; ')}`);
}

/** Older manifests of OpenClaw name no tools at all, and newer ones also what is there only under some configuration. */
function differences({ foreign }: PlannedPlugin, field: string, declared: readonly string[], found: readonly string[]): string[] {
  const undeclared = foreign && declared.length === 0 ? [] : found.filter((name) => !declared.includes(name));
  const missing = foreign ? [] : declared.filter((name) => !found.includes(name));
  return [
    ...(undeclared.length > 0 ? [`${field} of the manifest lacks ${undeclared.join(', ')}, which the code registers`] : []),
    ...(missing.length > 0 ? [`${field} of the manifest names ${missing.join(', ')}, which the code does not register`] : []),
  ];
}

function sameSchema(ofCode: unknown, ofManifest: object | undefined): boolean {
  return ofCode === undefined || isDeepStrictEqual(JSON.parse(JSON.stringify(ofCode)), ofManifest);
}
