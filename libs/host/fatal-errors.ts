import { describeError } from '#kernel';
import { currentPlugin } from '#plugins';
import type { Logger } from '#telemetry';

/**
 * Commands nobody waits for (heartbeats, lock renewals, subscriptions) that end with their connection. ioredis rejects them;
 * the connection comes back by itself.
 */
function isLostConnection(reason: unknown): boolean {
  return reason instanceof Error && (reason.message === 'Connection is closed.' || reason.name === 'MaxRetriesPerRequestError');
}

/** A process in an unknown state ends at once: its work is resumed elsewhere, as after any other death. */
export function exitOnUnknownErrors(logger: Logger): void {
  const die = (reason: unknown, what: string): void => {
    logger.fatal({ err: reason instanceof Error ? reason : new Error(describeError(reason)) }, what);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => die(error, 'Uncaught exception: the process ends'));
  process.on('unhandledRejection', (reason) => {
    const plugin = currentPlugin();
    if (isLostConnection(reason))
      logger.warn({ error: describeError(reason) }, 'A background command was lost with its connection');
    else if (plugin !== undefined)
      logger.error({ plugin, err: reason }, 'A plugin left a promise that failed: it harms nobody else');
    else die(reason, 'Unhandled rejection: the process ends');
  });
}
