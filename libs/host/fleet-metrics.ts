import type { LaneLoad } from '#lanes';
import type { Metrics } from '#telemetry';
import type { Platform } from './core.platform.js';

/** Before each scrape: gauges whose truth is in Redis, so that every process says the same (queries take the maximum). */
export function measureFleet(platform: Platform, metrics: Metrics): void {
  metrics.onScrape(async () => {
    const { jobs, turns, deliveries, sessionsReady, slots } = await platform.backlog.read();
    metrics.jobCounts = jobs;
    metrics.sessionsReady.set(sessionsReady);
    metrics.admissionRunning.set(slots.running);
    metrics.admissionWaiting.set(slots.waiting);
    for (const load of [turns, deliveries]) setLane(metrics, load);
  });
  let repeated = 0;
  metrics.onScrape(() => {
    metrics.acceptRetries.inc(platform.multi.reconnects - repeated);
    repeated = platform.multi.reconnects;
    metrics.redisMemoryUsed.set(platform.memory.usedShare);
    metrics.redisMayEvict.set(platform.memory.mayEvict ? 1 : 0);
  });
}

function setLane(metrics: Metrics, { lane, oldestAgeMs, ...counts }: LaneLoad): void {
  for (const state of ['waiting', 'active', 'delayed'] as const) metrics.laneBacklog.set({ lane, state }, counts[state]);
  metrics.laneOldestAge.set({ lane }, oldestAgeMs / 1000);
}
