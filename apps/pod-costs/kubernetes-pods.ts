import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#pod-deletion-cost: the cheapest pods leave first; none is 0. */
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const REQUEST_TIMEOUT_MS = 5000;

const podListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        annotations: z.record(z.string(), z.string()).optional(),
        deletionTimestamp: z.string().optional(),
      }),
      spec: z.object({
        containers: z.array(
          z.object({ ports: z.array(z.object({ name: z.string().optional(), containerPort: z.int() })).optional() }),
        ),
      }),
      status: z.object({ phase: z.string().optional(), podIP: z.string().optional() }),
    }),
  ),
});

interface PodRequest {
  method?: 'PATCH';
  headers?: Record<string, string>;
  body?: string;
}

/** A pod that runs and is not leaving. */
export interface Pod {
  name: string;
  /** Its ops port. */
  ops: string;
  cost: number;
}

/** The pods of one namespace, by the API of Kubernetes. Throws an error that says what Kubernetes, or the way to it, refused. */
export class KubernetesPods {
  private readonly pods: string;

  /** @param credentials folder of a service account: `token`, read again for each request since it changes, and `namespace` */
  constructor(
    api: string,
    private readonly credentials: string,
  ) {
    const namespace = encodeURIComponent(this.credential('namespace'));
    this.pods = new URL(`/api/v1/namespaces/${namespace}/pods`, api).href;
  }

  async list(selector: string, signal: AbortSignal): Promise<Pod[]> {
    const response = await this.request(`?labelSelector=${encodeURIComponent(selector)}`, {}, signal);
    return podListSchema.parse(await response.json()).items.flatMap(({ metadata, spec, status }) => {
      const port = spec.containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === 'ops')?.containerPort;
      const { podIP } = status;
      if (metadata.deletionTimestamp || status.phase !== 'Running' || !podIP || port === undefined) return [];
      const host = podIP.includes(':') ? `[${podIP}]` : podIP;
      return { name: metadata.name, ops: `http://${host}:${port}`, cost: Number(metadata.annotations?.[COST] ?? 0) };
    });
  }

  async setCost(pod: string, cost: number, signal: AbortSignal): Promise<void> {
    const body = JSON.stringify({ metadata: { annotations: { [COST]: String(cost) } } });
    const headers = { 'content-type': 'application/merge-patch+json' };
    await this.request(`/${encodeURIComponent(pod)}`, { method: 'PATCH', headers, body }, signal);
  }

  private async request(path: string, init: PodRequest, signal: AbortSignal): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${this.credential('token')}` };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const response = await fetch(`${this.pods}${path}`, { ...init, headers, signal: limit }).catch((error: unknown) => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw new Error(`Kubernetes is not reached at ${this.pods}: ${String(cause)}`, { cause: error });
    });
    if (response.ok) return response;
    throw new Error(`Kubernetes answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  }

  private credential(name: 'token' | 'namespace'): string {
    return readFileSync(join(this.credentials, name), 'utf8').trim();
  }
}
