import type { Command } from 'commander';
import { delay, describeError } from '#kernel';
import { Metrics } from '#telemetry';
import { CliError, EXIT } from './cli-error.js';
import { KubernetesPods } from './kubernetes-pods.js';
import { levelCosts } from './pod-costs.js';
import type { Streams } from './streams.js';

interface PodCostsOptions {
  selector: string;
  every: string;
  api: string;
  credentials: string;
  opsPort: string;
}

/** `turnpike pod-costs`, which k8s/components/pod-costs runs. */
export function podCostsCommand(turnpike: Command, streams: Streams): void {
  turnpike
    .command('pod-costs')
    .summary('on Kubernetes: tell which runners are busy, so that idle ones leave first')
    .description(
      'Looks at the runners of its namespace every few seconds and writes controller.kubernetes.io/pod-deletion-cost where the\n' +
        'number of their turns has changed much. Runs until SIGTERM. Needs a service account that may list and patch pods.',
    )
    .requiredOption('--selector <labels>', 'the pods to look at, as in app.kubernetes.io/name=turnpike-runner')
    .option('--every <seconds>', 'between two looks', '10')
    .option('--api <address>', 'of Kubernetes', 'https://kubernetes.default.svc')
    .option('--credentials <folder>', 'of the service account', '/var/run/secrets/kubernetes.io/serviceaccount')
    .option('--ops-port <port>', 'serves /healthz and /readyz', '3001')
    .action((options: PodCostsOptions) => podCosts(options, streams));
}

async function podCosts({ selector, every, api, credentials, opsPort }: PodCostsOptions, { stderr }: Streams): Promise<void> {
  const everyMs = Number(every) * 1000;
  if (!(everyMs > 0)) throw new CliError(EXIT.usage, `--every is a number of seconds above 0, not "${every}".`);
  const leaving = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leaving.abort());
  const pods = new KubernetesPods(api, credentials);
  let failure: string | undefined = 'Kubernetes has not answered yet';
  // What only this command needs does not slow the others.
  const { OpsServer } = await import('#host');
  const ops = new OpsServer(new Metrics({ version: 'cli', app: 'pod-costs' }));
  ops.addReadiness('kubernetes', () => {
    if (failure !== undefined) throw new Error(failure);
  });
  await ops.listen(Number(opsPort), '0.0.0.0');
  while (!leaving.signal.aborted) {
    const now = await levelCosts(pods, selector, leaving.signal).then(() => undefined, describeError);
    if (now !== undefined && now !== failure && !leaving.signal.aborted) stderr.write(`turnpike pod-costs: ${now}\n`);
    failure = now;
    await delay(everyMs, leaving.signal).catch(() => undefined);
  }
  await ops.close();
}
