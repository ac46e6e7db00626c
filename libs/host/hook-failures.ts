import type { Hooks } from '#agent';
import type { Metrics, Logger } from '#telemetry';

/** Logs and counts each hook handler that threw or ran out of time. */
export function reportHookFailures(hooks: Hooks, metrics: Metrics, logger: Logger): void {
  hooks.onFailure = (hook, error) => {
    metrics.hookFailures.inc({ what: hook });
    logger.warn({ hook, err: error }, 'Hook failed');
  };
}
