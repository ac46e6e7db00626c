import type { DeliveryFigures } from './delivery-phase.js';
import { line } from './report-line.js';
import { WEBHOOKS_PER_SECOND, type WebhookFigures } from './webhook-phase.js';

/** What was promised of acknowledgements and does not hold, in words. */
export function missedByWebhooks(figures: readonly WebhookFigures[]): string[] {
  return figures.flatMap(({ channel, ms, most }) =>
    (['p50', 'p99'] as const)
      .filter((share) => !(ms[share] <= (most[share] ?? Infinity)))
      .map((share) => `${channel} is acknowledged after ${ms[share].toFixed(0)} ms (${share}), more than ${most[share]}`),
  );
}

export function webhookLines(figures: readonly WebhookFigures[]): string[] {
  return [
    '',
    `webhook -> acknowledged, ${WEBHOOKS_PER_SECOND}/s at one ingress process, ms`,
    ...figures.map(({ channel, ms }) => line(`  ${channel}`, [`p50 ${ms.p50.toFixed(1)}`, `p99 ${ms.p99.toFixed(1)}`])),
  ];
}

export function deliveryLines(figures: readonly DeliveryFigures[]): string[] {
  return figures.flatMap(({ workload, rawPerS, deliveredPerS, limitedPerS, ratio, limitedRatio }) => [
    '',
    `a backlog of ${workload} deliveries, two processes, a channel that takes at once`,
    line('  raw BullMQ jobs/s', [rawPerS.toFixed(0)]),
    line('  deliveries/s, ratio to raw', [deliveredPerS.toFixed(0), ratio.toFixed(2)]),
    line('  under three rates', [limitedPerS.toFixed(0), limitedRatio.toFixed(2)]),
  ]);
}
