import { z } from 'zod';
import type { Manifest } from './manifests.js';
import { selectorSchema, selects, type Selector, type Workload } from './workloads.js';

const portRef = z.union([z.string(), z.int()]);
const serviceSpec = z.object({
  selector: z.record(z.string(), z.string()),
  ports: z.array(z.object({ name: z.string(), targetPort: portRef })),
});
const ingressSpec = z.object({
  rules: z.array(
    z.object({
      http: z.object({
        paths: z.array(
          z.object({ backend: z.object({ service: z.object({ name: z.string(), port: z.object({ name: z.string() }) }) }) }),
        ),
      }),
    }),
  ),
});
const scaledSpec = z.object({ scaleTargetRef: z.object({ name: z.string() }) });
const monitorSpec = z.object({ selector: selectorSchema, endpoints: z.array(z.object({ port: z.string() })) });
const bindingSchema = z.looseObject({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ kind: z.string(), name: z.string() })),
});

type Check = (manifest: Manifest, all: readonly Manifest[], workloads: readonly Workload[]) => (string | false)[];

/** What each kind points at has to be there. Kinds that are not listed point at nothing, or are pods (pod-policy.ts). */
const CHECKS: Record<string, Check> = {
  Service: ({ spec }, _, workloads) => {
    const { selector, ports } = serviceSpec.parse(spec);
    const behind = workloads.filter(({ labels }) => selects({ matchLabels: selector }, labels));
    const open = behind.flatMap(({ pod }) => pod.containers.flatMap(({ ports: of = [] }) => of.map(({ name }) => name)));
    return [
      behind.length === 0 && 'there is no pod behind it',
      ...ports.map(({ targetPort }) => !open.includes(String(targetPort)) && `no pod behind it has a port ${targetPort}`),
    ];
  },
  Ingress: ({ spec }, all) =>
    ingressSpec
      .parse(spec)
      .rules.flatMap(({ http }) => http.paths)
      .map(({ backend: { service } }) => {
        const target = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service.name);
        const there = target && serviceSpec.parse(target.spec).ports.some(({ name }) => name === service.port.name);
        return !there && `there is no port ${service.port.name} of a service ${service.name}`;
      }),
  PodDisruptionBudget: ({ spec }, _, workloads) => [
    noPod(z.object({ selector: selectorSchema }).parse(spec).selector, workloads),
  ],
  NetworkPolicy: ({ spec }, _, workloads) => [
    noPod(z.object({ podSelector: selectorSchema }).parse(spec).podSelector, workloads),
  ],
  HorizontalPodAutoscaler: scales,
  ScaledObject: scales,
  ServiceMonitor: ({ spec }, all) => {
    const { selector, endpoints } = monitorSpec.parse(spec);
    const services = all.filter(({ kind, metadata }) => kind === 'Service' && selects(selector, metadata.labels ?? {}));
    const ports = services.flatMap((service) => serviceSpec.parse(service.spec).ports.map(({ name }) => name));
    return endpoints.map(({ port }) => !ports.includes(port) && `no service it selects has a port ${port}`);
  },
  RoleBinding: (binding, all) => {
    const { roleRef, subjects } = bindingSchema.parse(binding);
    return [roleRef, ...subjects].map(({ kind, name }) => !isThere(all, kind, name) && `there is no ${kind} ${name}`);
  },
};

export function wiringProblems(manifests: readonly Manifest[], workloads: readonly Workload[]): string[] {
  return manifests.flatMap((manifest) => {
    const { kind, metadata } = manifest;
    const said = CHECKS[kind]?.(manifest, manifests, workloads) ?? [];
    return said.filter((one) => one !== false).map((one) => `${kind} ${metadata.name}: ${one}`);
  });
}

function scales({ spec, metadata }: Manifest, all: readonly Manifest[]): (string | false)[] {
  const target = scaledSpec.parse(spec).scaleTargetRef.name;
  const others = all.filter(
    (other) =>
      CHECKS[other.kind] === scales && other.metadata !== metadata && scaledSpec.parse(other.spec).scaleTargetRef.name === target,
  );
  return [
    !isThere(all, 'Deployment', target) && `there is no Deployment ${target}`,
    others.length > 0 && `something else scales ${target} too`,
  ];
}

function isThere(all: readonly Manifest[], kind: string, name: string): boolean {
  return all.some((one) => one.kind === kind && one.metadata.name === name);
}

function noPod(selector: Selector, workloads: readonly Workload[]): string | false {
  return !workloads.some(({ labels }) => selects(selector, labels)) && 'it selects no pod';
}
