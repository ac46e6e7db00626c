import type { Tool } from '#agent';
import type { ConfigSource } from '#config';
import { reloadConfig, type Platform } from '#host';
import { describeError } from '#kernel';
import type { Logger } from '#telemetry';
import { LiveCatalog, nativeSource } from '#tools';

/** The tools of this process, from every source. @param added see AgentExtras */
export function catalogOf(
  source: ConfigSource,
  platform: Pick<Platform, 'catalog'>,
  added: readonly Tool[] | undefined,
  logger: Logger,
): LiveCatalog {
  const options = {
    get current() {
      return source.current;
    },
    onChange: (listener: () => void) => source.onChange(listener),
    refresh: () => reloadConfig(source, logger),
  };
  return new LiveCatalog([nativeSource(options, added)], {
    built({ version, tools, refused }) {
      logger.info({ version, tools: tools.length }, 'Tool catalog built');
      for (const { message } of refused) logger.error(message);
    },
    changed() {
      platform.catalog
        .bump()
        .catch((error: unknown) =>
          logger.warn({ error: describeError(error) }, 'The change of a tool was not told to the others'),
        );
    },
  });
}
