import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { OpsServer } from '#host';
import { Metrics } from '#telemetry';
import { costOf } from '../../apps/pod-costs/level-costs.js';
import { freePort } from '../harness/free-port.js';
import { waitUntil } from '../harness/wait-until.js';
import { proves } from '../proves.js';
import { FakeKubernetes } from './kubernetes-api.js';

const COST = 'controller.kubernetes.io/pod-deletion-cost';

let kubernetes: FakeKubernetes;
let credentials: string;
let command: ChildProcess;
let opsPort: number;
let said = '';
const runners: { metrics: Metrics; ops: OpsServer }[] = [];

beforeAll(async () => {
  kubernetes = await FakeKubernetes.start({ namespace: 'turnpike', token: 'first' });
  credentials = mkdtempSync(join(tmpdir(), 'turnpike-account-'));
  writeFileSync(join(credentials, 'namespace'), 'turnpike');
  writeFileSync(join(credentials, 'token'), 'first\n');
  for (const name of ['idle', 'busy', 'leaving']) kubernetes.pods.push({ name, opsPort: await startRunner() });
  kubernetes.pods.push({ name: 'silent', opsPort: await freePort(), annotations: { [COST]: '4' } });
  Object.assign(kubernetes.pods[2] ?? {}, { deletionTimestamp: '2026-12-01T00:00:00Z' });
  runners[1]?.metrics.turnsActive.set(11);
  runners[2]?.metrics.turnsActive.set(11);
  opsPort = await freePort();
  const words = ['--selector', 'app=runner', '--every', '0.05', '--api', kubernetes.url];
  const where = ['--credentials', credentials, '--port', String(opsPort)];
  command = spawn(process.execPath, ['dist/apps/pod-costs/main.js', ...words, ...where], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  command.stderr?.on('data', (data: Buffer) => (said += data.toString()));
});

afterAll(async () => {
  command.kill('SIGKILL');
  kubernetes.stop();
  await Promise.all(runners.map(({ ops }) => ops.close()));
  rmSync(credentials, { recursive: true, force: true });
});

async function startRunner(): Promise<number> {
  const metrics = new Metrics({ version: '1', app: 'runner' });
  const ops = new OpsServer(metrics);
  runners.push({ metrics, ops });
  return ops.listen(0, '127.0.0.1');
}

const costs = (): (string | undefined)[] => kubernetes.pods.map(({ annotations }) => annotations?.[COST]);
const readiness = async (): Promise<number> =>
  fetch(`http://127.0.0.1:${opsPort}/readyz`).then(({ status }) => status, () => 0); // prettier-ignore

proves('OP-2', 'a busy runner costs more to delete, an idle, a leaving and a silent one are left alone', async () => {
  await waitUntil('the cost of the busy runner', costs, ([, busy]) => busy !== undefined);
  await waitUntil('readiness', readiness, (status) => status === 200);
  expect(costs()).toEqual([undefined, '8', undefined, '4']);
});

proves('OP-2', 'a cost is written when the work has doubled, halved or ended, and not in between', async () => {
  runners[0]?.metrics.turnsActive.set(1);
  runners[1]?.metrics.turnsActive.set(15);
  await waitUntil('the cost of the first', costs, ([first]) => first === '1');
  runners[1]?.metrics.turnsActive.set(0);
  await waitUntil('no cost of the second', costs, ([, second]) => second === '0');
  expect(kubernetes.patched).toEqual(['busy', 'idle', 'busy']);
});

proves('OP-2', 'while Kubernetes refuses it is not ready and says why, once; a token that changed is read again', async () => {
  kubernetes.refuses = true;
  await waitUntil('readiness', readiness, (status) => status === 503);
  await waitUntil('its words', () => said, (text) => text.includes('403')); // prettier-ignore
  writeFileSync(join(credentials, 'token'), 'second');
  Object.assign(kubernetes, { refuses: false, token: 'second' });
  await waitUntil('readiness', readiness, (status) => status === 200);
  expect(said.match(/403/g)).toHaveLength(1);
  expect(said).not.toContain('Bearer');
});

proves('OP-2', 'on SIGTERM it leaves with 0', async () => {
  command.kill('SIGTERM');
  expect(await once(command, 'exit')).toEqual([0, null]);
});

proves('OP-2', 'of two runners the busier never costs less, and costs are within half of the turns', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.nat(10_000), (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(costOf(less)).toBeLessThanOrEqual(costOf(more));
      expect(costOf(more)).toBeLessThanOrEqual(more);
      expect(costOf(more) * 2).toBeGreaterThanOrEqual(more);
    }),
  );
});
