import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { promtool } from './harness/promtool.js';
import { METRICS, misnamed, namesIn } from './harness/promql.js';
import { proves } from './proves.js';

const FOLDER = join(import.meta.dirname, '../observability');
const ALERTS = readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8');

const panelSchema = z.object({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ expr: z.string() })).default([]),
});
const dashboardSchema = z.object({ title: z.string(), uid: z.string(), panels: z.array(panelSchema) });
const { panels } = dashboardSchema.parse(JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8')));

const alerts = [...ALERTS.matchAll(/- alert: (\w+)\n([\s\S]*?)(?=\n {6}- alert|\n\n|$)/g)].map(([, name = '', body = '']) => ({
  name,
  body,
  query: /expr: (?:>-\n)?([\s\S]*?)\n {8}(?:for|labels):/.exec(body)?.[1] ?? '',
}));

test('OP-4 names are found in a query whatever stands around them', () => {
  const query =
    'histogram_quantile(0.99, sum by (channel, le) (rate(turnpike_a_bucket{status=~"5..", x!="b{}"}[5m] offset 1h))) > 2 or vector(0) and on (instance) up unless b:c';
  expect(namesIn(query)).toEqual([
    { name: 'turnpike_a_bucket', labels: ['status', 'x'] },
    { name: 'up', labels: [] },
    { name: 'b:c', labels: [] },
  ]);
  expect(
    misnamed('sum(turnpike_turns_activ) + turnpike_turn_duration_seconds{agent="a"} + turnpike_parks_total{agent="a"}'),
  ).toEqual(['turnpike_turns_activ', 'turnpike_turn_duration_seconds', 'turnpike_parks_total{agent}']);
});

proves('OP-4', 'every query of the dashboard names metrics and labels that exist, and every metric is in it', () => {
  const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
  expect(queries.flatMap(({ title, expr }) => misnamed(expr).map((name) => `${title}: ${name}`))).toEqual([]);
  const shown = new Set(queries.flatMap(({ expr }) => namesIn(expr).map(({ name }) => familyOf(name))));
  const ours = [...METRICS.keys()].map(familyOf).filter((name) => !/^turnpike_(process|nodejs)_/.test(name));
  expect([...new Set(ours)].filter((name) => !shown.has(name))).toEqual([]);
});

proves('OP-4', 'the dashboard is one Grafana can lay out: ids are unique, nothing overlaps, every panel asks something', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)}:${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.filter(({ type, targets }) => type !== 'row' && targets.length === 0)).toEqual([]);
});

proves('OP-4', 'every alert asks for metrics that exist and has a runbook, and there is no other', () => {
  expect(alerts.length).toBeGreaterThan(15);
  expect(alerts.flatMap(({ name, query }) => misnamed(query).map((wrong) => `${name}: ${wrong}`))).toEqual([]);
  for (const { name, body } of alerts) {
    expect(body).toContain(`runbook_url: observability/runbooks/${name}.md`);
    expect(existsSync(join(FOLDER, 'runbooks', `${name}.md`)), name).toBe(true);
    const page = readFileSync(join(FOLDER, 'runbooks', `${name}.md`), 'utf8');
    for (const part of [`# ${name}\n`, '\n## Look\n', '\n## Do\n']) expect(page).toContain(part);
  }
  expect(readdirSync(join(FOLDER, 'runbooks')).sort()).toEqual(alerts.map(({ name }) => `${name}.md`).sort());
});

proves('OP-4', 'runbooks lead to pages that exist', () => {
  for (const page of readdirSync(join(FOLDER, 'runbooks'))) {
    const text = readFileSync(join(FOLDER, 'runbooks', page), 'utf8');
    for (const [, link = ''] of text.matchAll(/\]\(([^)#]+)/g))
      expect(existsSync(join(FOLDER, 'runbooks', link)), `${page}: ${link}`).toBe(true);
  }
});

proves('OP-4', 'promtool accepts the rules, and each alert fires when it should and not when it should not', (context) => {
  const checked = promtool(context, ['check', 'rules', join(FOLDER, 'alerts.yaml')]);
  expect(checked).toMatchObject({ code: 0 });
  const files = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.test.yaml') ? [join(FOLDER, file)] : []));
  const tests = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  for (const { name } of alerts) {
    const cases = tests.match(new RegExp(`alertname: ${name}\\n.*\\n +exp_alerts:( \\[\\])?`, 'g')) ?? [];
    expect({ name, cases: cases.map((text) => text.endsWith('[]')) }).toEqual({ name, cases: [false, true] });
  }
  expect(promtool(context, ['test', 'rules', ...files])).toMatchObject({ code: 0 });
});

function familyOf(name: string): string {
  return name.replace(/_seconds_(bucket|sum|count)$/, '_seconds');
}
