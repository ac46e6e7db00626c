import { JsonSchema } from '#tools';
import type { ConfigProblem } from '#config';
import { discoverPlugins, type Discovery, type FoundPlugin, type PluginPlaces } from './discover-plugins.js';

/** The section `plugins` of the configuration. */
export interface PluginSettings extends PluginPlaces {
  enabled: boolean;
  entries: Readonly<Record<string, { enabled?: boolean | undefined; config: Readonly<Record<string, unknown>> }>>;
  slots: { contextEngine?: string | undefined; memory?: string | undefined };
}

export interface PlannedPlugin extends FoundPlugin {
  enabled: boolean;
  /** With the defaults of its schema. */
  config: Readonly<Record<string, unknown>>;
  /** Why it cannot run; empty: it can. */
  problems: ConfigProblem[];
}

export interface PluginPlan {
  /** In the order in which they load: behind those that they require, else by id. */
  plugins: readonly PlannedPlugin[];
  /** Folders that cannot be used. */
  problems: Discovery['problems'];
}

/** What would run under these settings, and what is wrong with it; no plugin code runs. */
export function planPlugins(settings: PluginSettings): PluginPlan {
  const { plugins, problems } = discoverPlugins(settings);
  const isOn = (found: FoundPlugin | undefined): boolean =>
    found !== undefined &&
    settings.enabled &&
    (settings.entries[found.manifest.id]?.enabled ?? (found.origin !== 'bundled' || found.manifest.enabledByDefault));
  const planned = [...plugins.values()].map((found): PlannedPlugin => {
    const { id, requiresPlugins } = found.manifest;
    const enabled = isOn(found);
    const { config, problems: wrong } = checkedConfig(found, settings.entries[id]?.config ?? {});
    const missing = requiresPlugins.filter((other) => !isOn(plugins.get(other)));
    const needs = missing.map((other) => ({
      path: `plugins.entries.${other}.enabled`,
      message: `the plugin ${id} requires ${other}, which is ${plugins.has(other) ? 'not enabled' : 'not installed'}`,
    }));
    return { ...found, enabled, config, problems: enabled ? [...wrong, ...needs] : [] };
  });
  return { plugins: inLoadOrder(planned), problems };
}

/** What the operator has to mend in the section `plugins`. Folders that are broken only leave out their own plugin. */
export function pluginProblems(settings: PluginSettings): ConfigProblem[] {
  return planPlugins(settings).plugins.flatMap(({ problems }) => problems);
}

function checkedConfig(
  { manifest: { id, configSchema } }: FoundPlugin,
  given: Readonly<Record<string, unknown>>,
): Pick<PlannedPlugin, 'config' | 'problems'> {
  const config = structuredClone(given);
  const at = `plugins.entries.${id}.config`;
  try {
    const problems = new JsonSchema(configSchema, 'fill').problems(config);
    return { config, problems: problems.map(({ path, message }) => ({ path: path ? `${at}.${path}` : at, message })) };
  } catch (error) {
    const message = `cannot be checked: the configSchema of its manifest is no JSON Schema (${error instanceof Error ? error.message : String(error)})`;
    return { config, problems: [{ path: at, message }] };
  }
}

function inLoadOrder(plugins: readonly PlannedPlugin[]): PlannedPlugin[] {
  const byId = new Map(plugins.map((plugin) => [plugin.manifest.id, plugin]));
  const ordered = new Set<PlannedPlugin>();
  const place = (plugin: PlannedPlugin, path: readonly string[]): void => {
    const { id, requiresPlugins } = plugin.manifest;
    if (ordered.has(plugin) || path.includes(id)) return;
    for (const other of requiresPlugins) {
      const required = byId.get(other);
      if (required) place(required, [...path, id]);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins) place(plugin, []);
  return [...ordered];
}
