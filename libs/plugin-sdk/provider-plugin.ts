import type { Static, TSchema } from 'typebox';
import type { ModelProvider } from '#agent';
import { definePluginEntry, type PluginEntry } from './plugin-entry.js';
import type { PluginApi } from './plugin-api.js';

export interface ProviderPlugin<Schema extends TSchema> {
  /** Also of the provider: agents name its models `<id>/<model>`. */
  id: string;
  name: string;
  description: string;
  configSchema: Schema;
  /** Made once, when the plugin is loaded. Its `id` is the plugin's. */
  provider(context: { api: PluginApi; config: Static<Schema> }): ModelProvider;
}

/** A plugin that brings one provider of models. */
export function defineSingleProviderPluginEntry<Schema extends TSchema>(plugin: ProviderPlugin<Schema>): PluginEntry {
  const { id, name, description, configSchema } = plugin;
  return definePluginEntry({
    id,
    name,
    description,
    configSchema,
    register(api) {
      // The host has checked it against the schema that this type comes from.
      api.registerProvider(plugin.provider({ api, config: api.pluginConfig as Static<Schema> }));
    },
  });
}
