import { Hooks } from '#agent';
import type { ChannelAccount, ChannelRegistry } from '#channels';
import { pluginAccountsOf, type Config, type ConfigSource } from '#config';
import { UnavailableError } from '#kernel';
import { openPluginChannels, RedisPluginStorage } from '#plugins';
import { Metrics, type Logger, type Redactor } from '#telemetry';
import { ControlPublisher } from './control-publisher.js';
import { ControlSubscriber } from './control-subscriber.js';
import { channelsOf } from './core.channels.js';
import { Platform } from './core.platform.js';
import { measureFleet } from './fleet-metrics.js';
import type { AppContext } from './lifecycle.js';
import { OpsServer } from './ops-server.js';
import { version } from './version.js';

/** What every app is made of besides its Nest modules. */
export interface AppParts {
  source: ConfigSource;
  logger: Logger;
  redactor: Redactor;
  metrics: Metrics;
  platform: Platform;
  channels: ChannelRegistry;
  publisher: ControlPublisher;
  subscriber: ControlSubscriber;
  ops: OpsServer;
}

/** @param accounts channel accounts beyond the configured ones. Readiness: Redis answers, events and hints are heard. */
export async function openParts(
  { source, logger, redactor, reload }: AppContext,
  app: string,
  accounts: readonly ChannelAccount[] = [],
): Promise<AppParts> {
  const config = source.current;
  const metrics = new Metrics({ version: version(), app });
  const platform = await Platform.open(config, logger);
  const publisher = new ControlPublisher(config.redis.url, logger);
  const subscriber = new ControlSubscriber({ redisUrl: config.redis.url, logger });
  subscriber.onConfigChanged(reload);
  const ops = new OpsServer(metrics);
  ops.addReadiness('redis', () => platform.check());
  ops.addReadiness('control', () => subscriber.check());
  measureFleet(platform, metrics);
  const added = await pluginChannels(config, platform, logger);
  const channels = channelsOf(config, platform.events, [...accounts, ...added]);
  return { source, logger, redactor, metrics, platform, channels, publisher, subscriber, ops };
}

/** Opens the ops port once everything that may add readiness checks and hint listeners has done so. */
export async function announceParts({ source, logger, subscriber, ops }: AppParts): Promise<void> {
  await subscriber.start();
  const { host, port } = source.current.ops;
  logger.info({ port: await ops.listen(port, host) }, 'Health, readiness and metrics');
}

/** The platform itself is closed by Nest, after the modules that use it. */
export async function closeParts({ publisher, subscriber, ops }: AppParts): Promise<void> {
  await Promise.all([publisher.close(), subscriber.close(), ops.close()]);
}

/** Their plugins see nothing of a turn here: tools and hooks of theirs are the runner's. */
function pluginChannels(config: Config, { request, keyspace }: Platform, logger: Logger): Promise<ChannelAccount[]> {
  return openPluginChannels(config.plugins, pluginAccountsOf(config), {
    logger,
    hooks: new Hooks(),
    storage: (plugin, tenant) => new RedisPluginStorage(request, keyspace, plugin, tenant),
    complete: () => Promise.reject(new UnavailableError('Models are there for tools, not for channels')),
  });
}
