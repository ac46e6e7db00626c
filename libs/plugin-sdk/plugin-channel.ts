import type { ChannelDescription, InboundChannel, OutboundChannel } from '#channels';
import type { PluginLogger } from './plugin-services.js';

/** One configured account of a channel, as its plugin is to open it. */
export interface ChannelAccountSetup<Config = Readonly<Record<string, unknown>>> {
  /** Its name in the configuration, in events and in `/webhooks/<channel>/<account>`. */
  account: string;
  /** `channels.plugins.<channel>.accounts.<account>.config`, checked against the manifest, with its defaults. */
  config: Config;
  logger: PluginLogger;
}

/** Both halves of an account. See docs/channel-adapters.md for what they must hold. */
export interface OpenedChannel {
  outbound: OutboundChannel;
  /** Absent where messages do not come by webhook. */
  inbound?: InboundChannel;
}

/** A channel as `api.registerChannel` takes it. */
export interface PluginChannel {
  /** Its `name` is the one of the manifest. */
  description: ChannelDescription;
  /** Synchronous, once for each account in each process that needs it. Throws what is wrong with the account. */
  open(setup: ChannelAccountSetup): OpenedChannel;
}
