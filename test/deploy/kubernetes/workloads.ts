import { z } from 'zod';
import type { Manifest } from './manifests.js';

const probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }).optional() });

const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).optional(),
  envFrom: z
    .array(
      z.object({ configMapRef: z.object({ name: z.string() }).optional(), secretRef: z.object({ name: z.string() }).optional() }),
    )
    .optional(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).optional(),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.int() }) }) }).optional(),
  resources: z.object({ requests: z.record(z.string(), z.string()), limits: z.record(z.string(), z.string()) }).optional(),
  securityContext: z.looseObject({ capabilities: z.object({ drop: z.array(z.string()) }).optional() }).optional(),
});
export type Container = z.output<typeof containerSchema>;

const labels = z.record(z.string(), z.string());
export const selectorSchema = z.object({
  matchLabels: labels.optional(),
  matchExpressions: z.array(z.object({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) })).optional(),
});
export type Selector = z.output<typeof selectorSchema>;

const podSchema = z.object({
  metadata: z.object({ labels }),
  spec: z.object({
    serviceAccountName: z.string().optional(),
    automountServiceAccountToken: z.boolean().optional(),
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.looseObject({ runAsUser: z.int().optional() }).optional(),
    topologySpreadConstraints: z.array(z.looseObject({ labelSelector: selectorSchema })).optional(),
    volumes: z.array(z.looseObject({ name: z.string(), configMap: z.object({ name: z.string() }).optional() })).optional(),
    containers: z.array(containerSchema),
  }),
});

const workloadSpec = z.object({ replicas: z.int().optional(), selector: selectorSchema, template: podSchema });

export interface Workload {
  kind: string;
  name: string;
  selector: Selector;
  labels: Record<string, string>;
  pod: z.output<typeof podSchema>['spec'];
}

/** Everything among the manifests that makes pods. */
export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests
    .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
    .map(({ kind, metadata: { name }, spec }) => {
      const { selector, template } = workloadSpec.parse(spec);
      return { kind, name, selector, labels: template.metadata.labels, pod: template.spec };
    });
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, of: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => of[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(of[key] ?? ''))
  );
}
