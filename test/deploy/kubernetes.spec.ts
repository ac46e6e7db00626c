import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { proves } from '../proves.js';
import { manifestProblems } from './kubernetes/manifest-problems.js';
import { kustomize, kustomizeOf, manifestsOf, type Manifest } from './kubernetes/manifests.js';

const text = (path: string): string => readFileSync(path, 'utf8');
const kindsOf = (manifests: readonly Manifest[]): string[] => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

proves('OP-2', 'the development overlay is valid, hardened and complete, with a Redis of its own', async (context) => {
  const manifests = kustomize(context, 'k8s/overlays/dev');
  expect(await manifestProblems(manifests)).toEqual([]);
  expect(kindsOf(manifests)).toContain('StatefulSet turnpike-redis');
});

proves('OP-2', 'the production overlay is valid, hardened and complete, and brings no Redis and no secret', async (context) => {
  const manifests = kustomize(context, 'k8s/overlays/production');
  expect(await manifestProblems(manifests)).toEqual([]);
  expect(kindsOf(manifests).filter((name) => /Redis|^Secret /i.test(name))).toEqual(['NetworkPolicy turnpike-to-redis']);
  for (const app of ['ingress', 'runner', 'dispatcher'])
    expect(kindsOf(manifests)).toContain(`PodDisruptionBudget turnpike-${app}`);
});

const kedaSchema = z
  .object({
    minReplicaCount: z.int(),
    maxReplicaCount: z.int(),
    triggers: z.tuple([z.object({ metadata: z.looseObject({ query: z.string(), threshold: z.string() }) })]),
    advanced: z.object({ horizontalPodAutoscalerConfig: z.object({ behavior: z.unknown() }) }),
  })
  .transform(({ minReplicaCount: min, maxReplicaCount: max, triggers: [{ metadata }], advanced }) => ({
    query: metadata.query,
    rule: { min, max, target: metadata.threshold, behavior: advanced.horizontalPodAutoscalerConfig.behavior },
  }));
const externalSchema = z
  .object({
    minReplicas: z.int(),
    maxReplicas: z.int(),
    metrics: z.tuple([
      z.object({
        external: z.object({ metric: z.object({ name: z.string() }), target: z.looseObject({ averageValue: z.string() }) }),
      }),
    ]),
    behavior: z.unknown(),
  })
  .transform(({ minReplicas: min, maxReplicas: max, metrics: [{ external }], behavior }) => ({
    metric: external.metric.name,
    rule: { min, max, target: external.target.averageValue, behavior },
  }));
const adapterSchema = z.object({
  rules: z.object({ external: z.array(z.object({ name: z.object({ as: z.string() }), metricsQuery: z.string() })) }),
});

proves('OP-2', 'autoscaling by external metrics fits the base as KEDA does, and says the same', async (context) => {
  const scalers = async (component: string, wanted: string): Promise<unknown[]> => {
    const manifests = kustomizeOf(context, { resources: ['k8s/base'], components: [`k8s/components/${component}`] });
    // The base has no tags of images, which are an overlay's.
    expect((await manifestProblems(manifests)).filter((said) => !said.includes('its image has no tag'))).toEqual([]);
    return manifests.filter(({ kind }) => kind === wanted).map(({ spec }) => spec);
  };
  const keda = z.array(kedaSchema).parse(await scalers('keda', 'ScaledObject'));
  const external = z.array(externalSchema).parse(await scalers('external-metrics', 'HorizontalPodAutoscaler'));
  expect(external.map(({ rule }) => rule)).toEqual(keda.map(({ rule }) => rule));
  const adapter = adapterSchema.parse(parse(text('k8s/components/external-metrics/prometheus-adapter-values.yaml')));
  const queries = new Map(adapter.rules.external.map(({ name, metricsQuery }) => [name.as, metricsQuery]));
  expect(external.map(({ metric }) => queries.get(metric))).toEqual(keda.map(({ query }) => query));
});

proves('OP-4', 'the PrometheusRule has the alerts that are tested', () => {
  const [rule] = manifestsOf(text('k8s/components/monitoring/prometheus-rule.yaml'));
  expect(rule?.spec).toEqual(parse(text('observability/alerts.yaml')));
});

const POD = 'spec.template.spec';
const CONTAINER = `${POD}.containers.0`;

/** Which object, what in it becomes what (undefined: goes), and what is said of it. */
// prettier-ignore
const FAULTS: [object: string, path: string, becomes: unknown, said: string][] = [
  ['Deployment turnpike-runner', `${CONTAINER}.startupProbe.retries`, 3, 'unknown field /spec/template/spec/containers/0/startupProbe/retries'],
  ['Deployment turnpike-runner', `${POD}.topologySpreadConstraints.0.whenUnsatisfiable`, undefined, 'whenUnsatisfiable'],
  ['Deployment turnpike-ingress', `${CONTAINER}.ports.0.containerPort`, '3000', 'containerPort'],
  ['Deployment turnpike-ingress', 'replica', 2, 'unknown field /replica'],
  ['ScaledObject turnpike-runner', 'spec.pollInterval', 15, 'unknown field /spec/pollInterval'],
  ['ServiceMonitor turnpike', 'spec.endpoints.0.every', '15s', 'unknown field /spec/endpoints/0/every'],
  ['Deployment turnpike-runner', `${CONTAINER}.image`, 'turnpike:latest', 'whatever is the latest'],
  ['Deployment turnpike-runner', `${CONTAINER}.image`, 'registry.example.com:5000/turnpike', 'no tag'],
  ['Deployment turnpike-runner', `${POD}.securityContext.runAsNonRoot`, false, 'may be root'],
  ['Deployment turnpike-runner', `${POD}.securityContext.runAsUser`, 0, 'may be root'],
  ['Deployment turnpike-runner', `${CONTAINER}.securityContext.readOnlyRootFilesystem`, false, 'write to its root'],
  ['Deployment turnpike-runner', `${CONTAINER}.resources.limits`, {}, 'not limited'],
  ['Deployment turnpike-runner', `${CONTAINER}.readinessProbe`, undefined, 'no startup, liveness or readiness probe'],
  ['Deployment turnpike-runner', `${CONTAINER}.livenessProbe.httpGet.path`, '/readyz', 'does not cure'],
  ['Deployment turnpike-ingress', `${POD}.terminationGracePeriodSeconds`, 35, 'needs 35 s to drain'],
  ['Deployment turnpike-runner', `${POD}.automountServiceAccountToken`, undefined, 'a token'],
  ['Deployment turnpike-runner', `${CONTAINER}.envFrom.0.configMapRef.name`, 'other', 'no ConfigMap other'],
  ['Deployment turnpike-runner', 'spec.selector.matchLabels', { app: 'runner' }, 'its own pods'],
  ['Deployment turnpike-runner', `${POD}.topologySpreadConstraints.0.labelSelector.matchLabels`, { app: 'x' }, 'counts other pods'],
  ['Service turnpike-ingress', 'spec.ports.0.targetPort', 'web', 'port web'],
  ['Service turnpike-ingress', 'spec.selector', { app: 'x' }, 'no pod behind it'],
  ['ScaledObject turnpike-runner', 'spec.scaleTargetRef.name', 'turnpike-walker', 'no Deployment turnpike-walker'],
  ['ScaledObject turnpike-runner', 'spec.scaleTargetRef.name', 'turnpike-ingress', 'something else scales turnpike-ingress'],
  ['PodDisruptionBudget turnpike-runner', 'spec.selector.matchLabels', { app: 'x' }, 'selects no pod'],
  ['ServiceMonitor turnpike', 'spec.endpoints.0.port', 'metrics', 'no service it selects has a port metrics'],
  ['NetworkPolicy turnpike-to-internet', 'spec.egress.0.to.0.ipBlock.except', ['10.0.0.0/8'], 'the way to 169.254.169.254'],
  ['NetworkPolicy turnpike-to-internet', 'spec.egress.0.to.1.ipBlock.except', undefined, 'the way to fe80::1'],
  ['Deployment turnpike-pod-costs', 'spec.template.metadata.labels', { 'app.kubernetes.io/name': 'turnpike-pod-costs' }, 'no network policy closes it'],
  ['Ingress turnpike', 'spec.rules.0.http.paths.0.backend.service.name', 'turnpike-web', 'service turnpike-web'],
  ['RoleBinding turnpike-pod-costs', 'roleRef.name', 'admin', 'no Role admin'],
];

proves('OP-2', 'each of these faults in a manifest is found', async (context) => {
  const whole = kustomize(context, 'k8s/overlays/production');
  for (const [object, path, becomes, said] of FAULTS) {
    const faulty = structuredClone(whole);
    const manifest = faulty.find(({ kind, metadata }) => `${kind} ${metadata.name}` === object);
    edit(manifest, path.split('.'), becomes);
    expect(await manifestProblems(faulty), `${object} ${path}`).toContainEqual(expect.stringContaining(said));
  }
});

function edit(value: unknown, [key = '', ...rest]: string[], becomes: unknown): void {
  if (typeof value !== 'object' || value === null) throw new Error(`there is no ${key} to edit`);
  if (rest.length > 0) edit(Reflect.get(value, key), rest, becomes);
  else if (becomes === undefined) Reflect.deleteProperty(value, key);
  else Reflect.set(value, key, becomes);
}
