import { z } from 'zod';
import type { Manifest } from './manifests.js';

/** Groups whose models are not in kubernetes-models itself. */
const MODELS: Record<string, string> = {
  'keda.sh/v1alpha1': '@kubernetes-models/keda/keda.sh/v1alpha1',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
};

const moduleSchema = z.record(
  z.string(),
  z.custom<new () => { validate(): void }>((value) => typeof value === 'function'),
);

/**
 * What the published schema of its kind says against a manifest, unknown fields included. The validators are compiled and pass over
 * fields they do not know; so they are given a view that notes which fields they look at, and what nobody looked at is unknown.
 */
export async function schemaProblems(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind, metadata } = manifest;
  const source = MODELS[apiVersion] ?? `kubernetes-models/${apiVersion}`;
  const Model = moduleSchema.parse(await import(`${source}/${kind}`))[kind];
  if (!Model) return [`${kind} ${metadata.name}: no such kind in ${apiVersion}`];
  const looked = new Set<string>();
  const subject: unknown = Object.assign(Object.create(Model.prototype as object) as object, manifest);
  const problems: string[] = [];
  try {
    (noting(subject, '', looked) as InstanceType<typeof Model>).validate();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  const unknown = pathsOf(manifest, '').filter((path) => !looked.has(path));
  return [...problems, ...unknown.map((path) => `unknown field ${path}`)].map((said) => `${kind} ${metadata.name}: ${said}`);
}

/** `value`, noting the paths that are read of it. */
function noting(value: unknown, path: string, looked: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      const inside: unknown = Reflect.get(target, key, receiver);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return inside;
      looked.add(`${path}/${key}`);
      return noting(inside, `${path}/${key}`, looked);
    },
  });
}

function pathsOf(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) => [`${path}/${key}`, ...pathsOf(inside, `${path}/${key}`)]);
}
