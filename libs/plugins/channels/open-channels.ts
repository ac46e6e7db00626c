import type { ChannelAccount } from '#channels';
import type { PluginAccount } from '#config';
import { TerminalError } from '#kernel';
import type { PluginChannel, PluginLogger } from '#plugin-sdk';
import { loadPlugin } from '../load-plugin.js';
import { keepBoundaries } from '../module-boundary.js';
import type { PlannedPlugin, PluginSettings } from '../plan-plugins.js';
import { inPlugin } from '../plugin-scope.js';
import type { PluginServices } from '../plugin-services.js';
import { closedAccount } from './closed-account.js';
import { guardedAccount } from './guarded-account.js';
import { planChannels, type PlannedAccount } from './plan-channels.js';

/**
 * Opens the accounts of channels that plugins bring. Only plugins with a configured account are loaded. One that fails harms nobody
 * else: its accounts are there and say that they do not work, so that what is sent to them waits.
 */
export async function openPluginChannels(
  settings: PluginSettings,
  accounts: readonly PluginAccount[],
  services: PluginServices,
): Promise<ChannelAccount[]> {
  const planned = planChannels(settings, accounts).accounts;
  const plugins = [...new Set(planned.map(({ plugin }) => plugin))];
  keepBoundaries(plugins);
  const opened = plugins.map((plugin) =>
    openAll(
      plugin,
      planned.filter((one) => one.plugin === plugin),
      services,
    ),
  );
  return (await Promise.all(opened)).flat();
}

async function openAll(
  plugin: PlannedPlugin,
  planned: readonly PlannedAccount[],
  services: PluginServices,
): Promise<ChannelAccount[]> {
  const { id } = plugin.manifest;
  const logger = services.logger.child({ plugin: id });
  const failed = (error: unknown, { account }: PlannedAccount): ChannelAccount => {
    logger.error(
      { err: error, channel: account.channel, account: account.account },
      'Account of a plugin failed: it does not work',
    );
    // Whoever posts to its webhook may read this: what the plugin threw is for the log.
    return closedAccount(account, `The plugin ${id} does not work here; the log says why`);
  };
  try {
    const { channels, logger: own } = await loadPlugin(plugin, services, notHere);
    return planned.map((one) => {
      try {
        return openOne(one, channels, own);
      } catch (error) {
        return failed(error, one);
      }
    });
  } catch (error) {
    return planned.map((one) => failed(error, one));
  }
}

function openOne(
  { plugin, account, config }: PlannedAccount,
  channels: readonly PluginChannel[],
  logger: PluginLogger,
): ChannelAccount {
  const { id } = plugin.manifest;
  const channel = channels.find(({ description }) => description.name === account.channel);
  if (!channel) throw new TerminalError('channel_misconfigured', `The code of ${id} registers no channel ${account.channel}`);
  const { rates } = account;
  const name = { channel: account.channel, account: account.account };
  const halves = inPlugin(id, undefined, () => channel.open({ account: account.account, config, logger }));
  return guardedAccount(id, { ...name, ...halves, description: channel.description, ...(rates && { rates }) });
}

function notHere(id: string): unknown {
  throw new Error(`The plugin ${id} shares nothing with a channel: channels run in every process, ${id} in the runner`);
}
