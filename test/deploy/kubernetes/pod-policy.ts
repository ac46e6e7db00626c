import { z } from 'zod';
import type { Manifest } from './manifests.js';
import { selects, type Container, type Workload } from './workloads.js';

/** shutdown.forceMs, which the manifests leave as it is. */
const FORCE_S = 5;
/** The apps that drain, by their argument. */
const APPS = ['ingress', 'runner', 'dispatcher'];

/** What is wrong with the pods of a workload: rights, limits, probes, the time they get to leave. */
export function podProblems(workload: Workload, manifests: readonly Manifest[]): string[] {
  const { pod, selector, labels, name } = workload;
  const problems = [
    ...rights(workload),
    !selects(selector, labels) && 'its selector does not match its own pods',
    pod.topologySpreadConstraints?.some(({ labelSelector }) => !selects(labelSelector, labels)) &&
      'a topology spread counts other pods',
    ...pod.containers.flatMap((container) => [
      ...containerProblems(container),
      ...references(container, pod.volumes ?? [], manifests),
      drain(container, pod.terminationGracePeriodSeconds ?? 30, manifests),
    ]),
  ];
  return problems.filter((said) => typeof said === 'string').map((said) => `${workload.kind} ${name}: ${said}`);
}

/** The restricted Pod Security Standard, and no token for who does not ask Kubernetes. */
function rights({ pod }: Workload): (string | false)[] {
  const { securityContext, automountServiceAccountToken, serviceAccountName } = pod;
  const restricted = z.looseObject({
    runAsNonRoot: z.literal(true),
    runAsUser: z.int().min(1),
    seccompProfile: z.object({ type: z.literal('RuntimeDefault') }),
  });
  return [
    !restricted.safeParse(securityContext).success && 'it may be root, or has no seccomp profile',
    automountServiceAccountToken !== (serviceAccountName !== undefined) && 'it gets a token that it has no use for, or none',
  ];
}

function containerProblems({ image, resources, securityContext, ...container }: Container): (string | false)[] {
  const confined = z.looseObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  });
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const apps = livenessProbe?.httpGet;
  return [
    !/:[\w.-]+$/.test(image) && `its image has no tag: ${image}`,
    image.endsWith(':latest') && 'its image is whatever is the latest',
    !(resources?.requests.cpu && resources.requests.memory && resources.limits.memory) && 'its resources are not limited',
    !confined.safeParse(securityContext).success && 'it can write to its root, or gain rights',
    !(startupProbe && livenessProbe && readinessProbe) && 'it has no startup, liveness or readiness probe',
    apps !== undefined && apps.path !== '/healthz' && `it is restarted for what a restart does not cure: ${apps.path}`,
    readinessProbe?.httpGet !== undefined && readinessProbe.httpGet.path !== '/readyz' && 'it is sent work when it is not ready',
  ];
}

const configMapSchema = z.looseObject({ data: z.record(z.string(), z.string()) });

function references(
  { envFrom = [] }: Container,
  volumes: NonNullable<Workload['pod']['volumes']>,
  manifests: readonly Manifest[],
): string[] {
  const named = [...envFrom.map(({ configMapRef }) => configMapRef?.name), ...volumes.map(({ configMap }) => configMap?.name)];
  const there = new Set(manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name));
  return named.flatMap((name) => (name === undefined || there.has(name) ? [] : `there is no ConfigMap ${name}`));
}

function drain({ args: [app = ''] = [], envFrom = [], lifecycle }: Container, graceS: number, manifests: readonly Manifest[]) {
  if (!APPS.includes(app)) return false;
  const maps = manifests.filter(
    ({ kind, metadata }) => kind === 'ConfigMap' && envFrom.some(({ configMapRef }) => configMapRef?.name === metadata.name),
  );
  const ms = Number(Object.assign({}, ...maps.map((map) => configMapSchema.parse(map).data)).SHUTDOWN_GRACE_MS);
  const needs = (lifecycle?.preStop.sleep.seconds ?? 0) + ms / 1000 + FORCE_S;
  return !(graceS > needs) && `it is killed after ${graceS} s and needs ${needs} s to drain`;
}
