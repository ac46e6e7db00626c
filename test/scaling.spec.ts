import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import fc from 'fast-check';
import { loadConfig } from '#config';
import { misnamed } from './harness/promql.js';
import { proves } from './proves.js';
import { Autoscaler } from './scaling/autoscaler.js';
import { measuredFigures, redisPerThousand } from './scaling/figures.js';
import { scalingRules } from './scaling/scaling-rule.js';
import { simulate } from './scaling/simulate.js';
import { ORDINARY_DAY } from './scaling/traffic-day.js';

const rules = scalingRules();
const figures = measuredFigures();
const EVERY_S = 15;
const K8S = join(import.meta.dirname, '../k8s');

proves('OP-8', 'a day with a spike of ten times the traffic, a hog and a night: drained, not starved, and scaled to zero', () => {
  const found = simulate({ rule: rules.runner, figures, day: ORDINARY_DAY }).toJSON();
  expect(found.turns).toBeGreaterThan(500_000);
  expect(found.waits).toMatchObject({ p50: 0, p95: 0 });
  expect(found.spike.workedOffAfterS).toBeLessThan(180);
  expect(found.spike.waits.most).toBeLessThan(90);
  expect(found.spike.replicas).toBeGreaterThan(30);

  expect(found.hog.workedOffAfterS).toBeGreaterThan(600);
  expect(found.hog.others.p99).toBeLessThanOrEqual(found.hog.othersBefore.p99 + 1);
  expect(found.hog.replicas).toBeLessThan(10);

  expect(found.zero.seconds).toBeGreaterThan(4 * 3_600);
  expect(found.zero.coldStarts).toBeGreaterThanOrEqual(5);
  expect(found.zero.waits.most).toBeLessThan(45);
  expect(found.runnerHours).toBeLessThan(found.runnerHoursAtMost / 5);
  expect(found.hours.at(-1)?.backlogAge).toBeLessThan(5);
});

proves('OP-8', 'counting what limits hold back would start all runners there may be for one hog, in vain', () => {
  const hogOnly = { ...ORDINARY_DAY, peakPerS: 1, spike: { ...ORDINARY_DAY.spike, times: 1 }, hogLimit: Infinity };
  const counted = simulate({ rule: rules.runner, figures, day: hogOnly }).toJSON();
  expect(counted.hog.replicas).toBe(rules.runner.maxReplicas);
  const held = simulate({ rule: rules.runner, figures, day: { ...hogOnly, hogLimit: 100 } }).toJSON();
  expect(held.hog.replicas).toBeLessThan(6);
});

proves(
  'OP-8',
  'whatever the metric does, replicas stay in their bounds, leave as slowly as the rule says, and end at its least',
  () => {
    const { runner: rule } = rules;
    const plateau = fc.record({ metric: fc.integer({ min: 0, max: 5_000 }), looks: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(plateau, { minLength: 1, maxLength: 12 }), (plateaus) => {
        const scaler = new Autoscaler(rule);
        const seen = [0];
        for (const { metric, looks } of [...plateaus, { metric: 0, looks: 400 }])
          for (let n = 0; n < looks; n++) seen.push(scaler.next(seen.length * EVERY_S, seen.at(-1) ?? 0, metric));
        for (const [at, replicas] of seen.entries()) {
          expect(replicas).toBeGreaterThanOrEqual(rule.minReplicas);
          expect(replicas).toBeLessThanOrEqual(rule.maxReplicas);
          const period = seen.slice(Math.max(0, at - rule.scaleDown.periodS / EVERY_S + 1), at + 1);
          // To zero it is KEDA that goes, at once, and only after the cooldown.
          if (period.includes(0)) continue;
          const most = Math.max(...period);
          const allowed = Math.max(rule.scaleDown.pods, Math.ceil((most * rule.scaleDown.percent) / 100));
          expect(most - replicas).toBeLessThanOrEqual(allowed);
        }
        expect(seen.at(-1)).toBe(rule.minReplicas);
      }),
    );
  },
);

proves('OP-8', 'the rule fits the product: slots are the default of the configuration, the query names what exists', () => {
  const { lanes } = loadConfig({ env: { REDIS_URL: 'redis://127.0.0.1:6379' } });
  for (const [app, { concurrency }] of [
    ['runner', lanes.turns],
    ['dispatcher', lanes.deliveries],
  ] as const) {
    const { slots, threshold, query } = rules[app];
    expect(slots).toBe(concurrency);
    expect(threshold).toBe(Math.round(slots * 0.7));
    expect(misnamed(query)).toEqual([]);
  }
});

proves('OP-8', 'every ScaledObject in k8s/ has the constants of the rule', (context) => {
  const files = readdirSync(K8S, { recursive: true, encoding: 'utf8' }).filter((file) => /\.ya?ml$/.test(file));
  const objects = files
    .flatMap((file) => readFileSync(join(K8S, file), 'utf8').split(/^---$/m))
    .filter((text) => /^kind: ScaledObject$/m.test(text) && !text.includes('{{'));
  if (objects.length === 0) context.skip('there is no ScaledObject in k8s/ yet');
  for (const text of objects) {
    const app = /scaleTargetRef:[\s\S]*?name: \S*dispatcher/.test(text) ? 'dispatcher' : 'runner';
    const { query, threshold, activationThreshold, minReplicas, maxReplicas, pollingIntervalS, cooldownS, scaleDown } =
      rules[app];
    const plain = text.replaceAll(/['"\\]/g, '');
    expect(plain.replaceAll(/\s+/g, ' ')).toContain(query.replaceAll('"', ''));
    const number = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(plain)?.[1]);
    expect({
      threshold: number('threshold'),
      activationThreshold: number('activationThreshold'),
      maxReplicas: number('maxReplicaCount'),
      pollingIntervalS: number('pollingInterval'),
      cooldownS: number('cooldownPeriod'),
    }).toEqual({ threshold, activationThreshold, maxReplicas, pollingIntervalS, cooldownS });
    expect([minReplicas, 1]).toContain(number('minReplicaCount'));
    expect(plain).toMatch(new RegExp(`scaleDown:[\\s\\S]*stabilizationWindowSeconds: ${scaleDown.stabilizationS}`));
  }
});

proves('OP-8', 'docs/scaling.md quotes what was measured', () => {
  const text = readFileSync(join(import.meta.dirname, '../docs/scaling.md'), 'utf8');
  const { cores, gigabytes } = redisPerThousand(figures);
  const { measuredOn, ingressUs, alone, together, startMs, bytes } = figures;
  const quoted = [
    measuredOn,
    cores.toFixed(2),
    gigabytes.toFixed(0),
    ingressUs,
    ...Object.values(alone),
    ...Object.values(together),
  ];
  for (const figure of [...quoted, startMs.runner, bytes.waiting, bytes.idle].map((value) => value.toLocaleString('en')))
    expect(text, figure).toContain(figure);
});
