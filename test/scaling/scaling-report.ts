import { redisPerThousand } from './figures.js';
import type { Findings, Waits } from './findings.js';
import type { SimulationInput } from './simulate.js';

/** For people. */
export function report({ rule, figures, day }: SimulationInput, findings: Findings): string {
  const { waits, spike, hog, zero, hours, ...found } = findings.toJSON();
  const redis = redisPerThousand(figures);
  const seconds = (value: number): string => `${value.toFixed(0)} s`;
  const lines = [
    `figures of ${figures.measuredOn}: ${figures.machine}, load average ${figures.loadAverage}`,
    `rule: one runner for each ${rule.threshold} turns that wait or run (${rule.slots} slots), ${rule.minReplicas} to ${rule.maxReplicas}`,
    `day: ${found.turns} turns of ${day.turnMedianS} s (median), ${day.peakPerS}/s at 15 o'clock, x ${day.spike.times} for ${day.spike.forS} s, a hog of ${day.hog.sessions} sessions`,
    '',
    `all but the hog waited: ${waitsText(waits)}`,
    `spike: ${waitsText(spike.waits)}; worked off ${seconds(spike.workedOffAfterS)} after it began; ${spike.replicas} runners`,
    `hog: worked off in ${seconds(hog.workedOffAfterS)}, ${hog.replicas} runners; others beside it ${waitsText(hog.others)}; before it ${waitsText(hog.othersBefore)}`,
    `zero: ${(zero.seconds / 3600).toFixed(1)} h without a runner, ${zero.coldStarts} cold starts; who came at night waited ${waitsText(zero.waits)}, and cost ${seconds(zero.runnerSecondsEach)} of a runner`,
    `runner hours: ${found.runnerHours.toFixed(0)}; as many runners as at most, all day: ${found.runnerHoursAtMost.toFixed(0)}`,
    `turns that leaving runners handed back: ${found.handedBack}`,
    `Redis for 1,000 messages a second: ${redis.cores.toFixed(2)} cores, ${redis.gigabytes.toFixed(0)} GB for what a message leaves behind`,
    '',
    'hour   turns  wait p50  p99  most  backlog age  runners least mean most',
    ...hours.map(({ hour, turns, waits: { p50, p99, most }, backlogAge, replicas }) =>
      [
        String(hour).padStart(4),
        String(turns).padStart(7),
        ...[p50, p99, most].map((value, at) => String(value).padStart([9, 5, 6][at] ?? 0)),
        String(backlogAge).padStart(12),
        String(replicas.least).padStart(13),
        replicas.mean.toFixed(1).padStart(5),
        String(replicas.most).padStart(5),
      ].join(' '),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function waitsText({ p50, p95, p99, most }: Waits): string {
  return `p50 ${p50} s, p95 ${p95} s, p99 ${p99} s, at most ${most} s`;
}
