import { expect, test } from 'vitest';
import { Metrics } from './index.js';

const build = { version: '1.2.3', app: 'runner' };

test('OP-4 several apps in one process count apart', async () => {
  const [one, two] = [new Metrics(build), new Metrics({ ...build, app: 'ingress' })];
  one.turns.inc({ outcome: 'answered' });
  expect(await one.text()).toContain('turnpike_turns_total{outcome="answered"} 1');
  expect(await two.text()).not.toContain('turnpike_turns_total{');
  expect(await two.text()).toContain('turnpike_build_info{version="1.2.3",app="ingress"} 1');
});

test('OP-4 every name has the prefix and a base unit, and no label can hold an id', async () => {
  const metrics = new Metrics(build);
  for (const metric of await metrics.registry.getMetricsAsJSON()) {
    expect(metric.name).toMatch(/^turnpike_/);
    expect(metric.name).not.toMatch(/_(ms|millis|kb|mb)(_|$)/);
    if (metric.type.toString() === 'counter') expect(metric.name).toMatch(/_total$/);
  }
  const labels = Object.values(metrics).flatMap((value: unknown) =>
    typeof value === 'object' && value !== null && 'labelNames' in value && Array.isArray(value.labelNames)
      ? value.labelNames
      : [],
  );
  expect(new Set(labels)).toEqual(
    new Set([
      'channel',
      'outcome',
      'lane',
      'kind',
      'type',
      'mode',
      'reason',
      'what',
      'state',
      'operation',
      'code',
      'decision',
      'how',
      'model',
      'provider',
      'tier',
      'tool',
    ]),
  );
});

test('OP-4 a collector that fails does not cost the scrape', async () => {
  const metrics = new Metrics(build);
  metrics.onScrape(() => Promise.reject(new Error('Redis is away')));
  metrics.onScrape(() => metrics.laneBacklog.set({ lane: 'turns', state: 'waiting' }, 3));
  expect(await metrics.text()).toContain('turnpike_lane_backlog{lane="turns",state="waiting"} 3');
});
