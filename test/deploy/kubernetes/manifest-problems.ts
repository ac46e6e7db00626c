import type { Manifest } from './manifests.js';
import { networkProblems } from './network-policy.js';
import { podProblems } from './pod-policy.js';
import { schemaProblems } from './schema-problems.js';
import { wiringProblems } from './wiring-policy.js';
import { workloadsOf } from './workloads.js';

/** Everything that can be said against a set of manifests without a cluster; empty = nothing. */
export async function manifestProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const schemas = await Promise.all(manifests.map(schemaProblems));
  if (schemas.flat().length > 0) return schemas.flat();
  const workloads = workloadsOf(manifests);
  return [
    ...workloads.flatMap((workload) => podProblems(workload, manifests)),
    ...wiringProblems(manifests, workloads),
    ...networkProblems(manifests, workloads),
  ];
}
