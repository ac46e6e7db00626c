import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOST_VALUES, OTHER } from './label-bound.js';
import { Metrics } from './index.js';

const build = { version: '1.2.3', app: 'runner' };

test('OP-4 several apps in one process count apart', async () => {
  const [one, two] = [new Metrics(build), new Metrics({ ...build, app: 'ingress' })];
  one.compactions.inc({ outcome: 'done' });
  expect(await one.text()).toContain('turnpike_compactions_total{outcome="done"} 1');
  expect(await two.text()).not.toContain('turnpike_compactions_total{');
  expect(await two.text()).toContain('turnpike_build_info{version="1.2.3",app="ingress"} 1');
});

test('OP-4 every name has the prefix and a base unit, and no label can hold an id', async () => {
  for (const { name, type, labelNames } of described()) {
    expect(name).toMatch(/^turnpike_/);
    expect(name).not.toMatch(/_(ms|millis|kb|mb)(_|$)/);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    for (const label of labelNames) expect(label).not.toMatch(/session|user|sender|message|turn|conversation|tenant/);
  }
});

test('OP-4 whatever names come in, a label has a bounded number of values, and nothing is left uncounted', async () => {
  const metrics = new Metrics(build);
  for (let n = 0; n < 10_000; n++) metrics.toolCalls.inc({ tool: `tool-${n}`, outcome: 'ok' });
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('turnpike_tool_calls_total{'));
  expect(lines).toHaveLength(MOST_VALUES + 1);
  expect(lines).toContain(`turnpike_tool_calls_total{tool="${OTHER}",outcome="ok"} ${10_000 - MOST_VALUES}`);
});

test('OP-4 a collector that fails or hangs does not cost the scrape, and is counted', async () => {
  const metrics = new Metrics(build);
  metrics.onScrape(() => Promise.reject(new Error('Redis is away')));
  metrics.onScrape(() => new Promise(() => undefined));
  metrics.onScrape(() => metrics.laneBacklog.set({ lane: 'turns', state: 'waiting' }, 3));
  const text = await metrics.text();
  expect(text).toContain('turnpike_lane_backlog{lane="turns",state="waiting"} 3');
  expect(text).toContain('turnpike_collect_failures_total 2');
});

test('OP-4 docs/metrics.md lists every metric with its type, labels and meaning', () => {
  const documented = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `turnpike_'));
  expect(documented.map(squeezed)).toEqual(
    described().map(({ name, type, labelNames, help }) =>
      squeezed(`| \`${name}\` | ${type} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${help} |`),
    ),
  );
});

interface Described {
  name: string;
  type: string;
  labelNames: string[];
  help: string;
}

/** What Turnpike counts itself; Node's own are of prom-client. */
function described(): Described[] {
  const { registry } = new Metrics(build);
  return registry
    .getMetricsAsArray()
    .map((metric) => ({ labelNames: [], ...metric, type: metric.constructor.name.toLowerCase() }) as Described)
    .filter(({ name }) => !/^turnpike_(process|nodejs)_/.test(name));
}

/** A formatter pads the cells of a table. */
const squeezed = (row: string): string => row.replaceAll(/\s+/g, ' ');
