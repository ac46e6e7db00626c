import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { delay } from '#kernel';
import { KubernetesPods } from './kubernetes-pods.js';
import { levelCosts } from './level-costs.js';

/**
 * Tells Kubernetes which runners are busy, so that idle ones leave first; k8s/components/pod-costs runs it. A program of its own and no
 * Nest app: it needs no Redis and no configuration, a third of the memory, and the right to patch pods, which no other process has.
 */
const { values } = parseArgs({
  options: {
    /** As in app.kubernetes.io/name=turnpike-runner. */
    selector: { type: 'string' },
    /** Seconds between two looks. */
    every: { type: 'string', default: '10' },
    api: { type: 'string', default: 'https://kubernetes.default.svc' },
    credentials: { type: 'string', default: '/var/run/secrets/kubernetes.io/serviceaccount' },
    port: { type: 'string', default: '3001' },
  },
});
const { selector = '', api, credentials } = values;
const everyMs = Number(values.every) * 1000;
if (!(selector !== '' && everyMs > 0)) {
  process.stderr.write('pod-costs needs --selector LABELS, and --every SECONDS above 0\n');
  process.exit(64);
}

const leaving = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leaving.abort());

/** Why the last look at Kubernetes failed. */
let failure: string | undefined = 'Kubernetes has not answered yet';
const health = createServer(({ url }, response) => {
  const answers: Record<string, number> = { '/healthz': 200, '/readyz': failure === undefined ? 200 : 503 };
  response.writeHead(answers[url ?? ''] ?? 404).end(failure);
}).listen(Number(values.port));

const pods = new KubernetesPods(api, credentials);
while (!leaving.signal.aborted) {
  const now = await levelCosts(pods, selector, leaving.signal).then(() => undefined, String);
  if (now !== undefined && now !== failure && !leaving.signal.aborted) process.stderr.write(`${now}\n`);
  failure = now;
  await delay(everyMs, leaving.signal).catch(() => undefined);
}
health.close();
health.closeAllConnections();
