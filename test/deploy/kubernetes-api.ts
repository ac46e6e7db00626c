import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface FakePod {
  name: string;
  /** Where its /metrics is, on loopback; it has none when left out. */
  opsPort?: number;
  annotations?: Record<string, string>;
  deletionTimestamp?: string;
}

/** As much of the API of Kubernetes as pod-costs speaks: pods of one namespace, listed by label and changed by merge patch. */
export class FakeKubernetes {
  pods: FakePod[] = [];
  /** Answers 403 to everything. */
  refuses = false;
  readonly patched: string[] = [];
  private readonly server: Server;

  private constructor(
    readonly namespace: string,
    readonly token: string,
  ) {
    this.server = createServer((request, response) => {
      void text(request).then((body) => {
        const { status, json } = this.answer(request.method ?? '', new URL(request.url ?? '', 'http://api'), {
          authorization: request.headers.authorization,
          type: request.headers['content-type'],
          body,
        });
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      });
    });
  }

  static async start({ namespace, token }: { namespace: string; token: string }): Promise<FakeKubernetes> {
    const fake = new FakeKubernetes(namespace, token);
    fake.server.listen(0, '127.0.0.1');
    await once(fake.server, 'listening');
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(
    method: string,
    url: URL,
    asked: { authorization: string | undefined; type: string | undefined; body: string },
  ): { status: number; json: unknown } {
    if (asked.authorization !== `Bearer ${this.token}`) return { status: 401, json: { message: 'Unauthorized' } };
    if (this.refuses) return { status: 403, json: { message: 'pods is forbidden' } };
    const [, name] = new RegExp(`^/api/v1/namespaces/${this.namespace}/pods(?:/([^/]+))?$`).exec(url.pathname) ?? [];
    if (method === 'GET' && url.searchParams.get('labelSelector') === 'app=runner') return { status: 200, json: this.list() };
    const pod = this.pods.find((one) => one.name === name);
    if (method !== 'PATCH' || asked.type !== 'application/merge-patch+json' || !pod)
      return { status: 404, json: { message: 'not found' } };
    const { metadata } = JSON.parse(asked.body) as { metadata: { annotations: Record<string, string> } };
    pod.annotations = { ...pod.annotations, ...metadata.annotations };
    this.patched.push(pod.name);
    return { status: 200, json: {} };
  }

  private list(): unknown {
    return {
      kind: 'PodList',
      items: this.pods.map(({ name, opsPort, annotations, deletionTimestamp }) => ({
        metadata: { name, annotations, deletionTimestamp },
        spec: { containers: [{ name: 'runner', ports: opsPort && [{ name: 'ops', containerPort: opsPort }] }] },
        status: { phase: 'Running', podIP: '127.0.0.1' },
      })),
    };
  }
}
