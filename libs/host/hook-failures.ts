import type { Hooks } from '#agent';
import { describeThrown } from '#kernel';
import type { Metrics, Logger } from '#telemetry';

/** Logs and counts each hook handler that threw or ran out of time. */
export function reportHookFailures(hooks: Hooks, metrics: Metrics, logger: Logger): void {
  hooks.onFailure = (hook, error, payload) => {
    metrics.hookFailures.inc({ what: hook });
    logger.warn({ hook, ...describeThrown(error, payload) }, 'Hook failed');
  };
}
