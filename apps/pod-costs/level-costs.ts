import type { KubernetesPods, Pod } from './kubernetes-pods.js';

const METRICS_TIMEOUT_MS = 2000;
const ACTIVE = /^turnpike_turns_active(?:\{[^}]*\})? (\d+)/m;

/**
 * A cost moves only when a runner has twice as many turns, or half: Kubernetes asks not to write it often, and which of two nearly equal
 * runners leaves does not matter.
 */
export function costOf(activeTurns: number): number {
  return activeTurns === 0 ? 0 : 2 ** Math.floor(Math.log2(activeTurns));
}

/**
 * One look at all runners. One that does not answer keeps its cost.
 * @returns the pods whose cost changed
 */
export async function levelCosts(pods: KubernetesPods, selector: string, signal: AbortSignal): Promise<string[]> {
  const changed = await Promise.all((await pods.list(selector, signal)).map((pod) => level(pods, pod, signal)));
  return changed.flatMap((name) => name ?? []);
}

async function level(pods: KubernetesPods, pod: Pod, signal: AbortSignal): Promise<string | undefined> {
  const active = await activeTurns(pod.ops, signal);
  if (active === undefined || costOf(active) === pod.cost) return undefined;
  await pods.setCost(pod.name, costOf(active), signal);
  return pod.name;
}

async function activeTurns(ops: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(METRICS_TIMEOUT_MS)]);
    const text = await (await fetch(`${ops}/metrics`, { signal: limit })).text();
    const [, count] = ACTIVE.exec(text) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}
