import type { TSchema } from 'typebox';
import type { PluginApi } from './plugin-api.js';

/** What a plugin's module exports as default. */
export interface PluginEntry {
  id: string;
  name?: string;
  description?: string;
  /** JSON Schema of `plugins.entries.<id>.config`; the manifest's counts, and this one must not differ from it. */
  configSchema?: TSchema | Record<string, unknown>;
  /** JSON Schemas of the accounts of its channels, by channel; like `configSchema`. */
  channelConfigs?: Readonly<Record<string, { schema: TSchema | Record<string, unknown> }>>;
  /** Synchronous: whatever takes time belongs into a service or a tool. Called again when the plugin's configuration changes. */
  register(api: PluginApi): void;
}

/** The general form; the other entries are made of it. */
export function definePluginEntry(entry: PluginEntry): PluginEntry {
  return entry;
}
