import type { Static, TSchema } from 'typebox';
import type { ChannelDescription } from '#channels';
import type { PluginApi } from './plugin-api.js';
import type { ChannelAccountSetup, OpenedChannel } from './plugin-channel.js';
import { definePluginEntry, type PluginEntry } from './plugin-entry.js';

export interface ChannelPlugin<Account extends TSchema> {
  id: string;
  name: string;
  description: string;
  /** Of `plugins.entries.<id>.config`. */
  configSchema?: TSchema;
  channel: {
    description: ChannelDescription;
    /** The manifest's `channelConfigs.<channel>.schema` counts, and this one must not differ from it. */
    accountSchema: Account;
    open(setup: ChannelAccountSetup<Static<Account>>): OpenedChannel;
  };
  /** Whatever else it brings: tools, commands, hooks. */
  register?(api: PluginApi): void;
}

/** A plugin that brings a channel, and may bring tools beside it. */
export function defineChannelPluginEntry<Account extends TSchema>(plugin: ChannelPlugin<Account>): PluginEntry {
  const { id, name, description, configSchema, channel } = plugin;
  return definePluginEntry({
    id,
    name,
    description,
    ...(configSchema && { configSchema }),
    channelConfigs: { [channel.description.name]: { schema: channel.accountSchema } },
    register(api) {
      api.registerChannel({
        description: channel.description,
        // The host has checked it against the schema that this type comes from.
        open: (setup) => channel.open(setup as ChannelAccountSetup<Static<Account>>),
      });
      plugin.register?.(api);
    },
  });
}
