import { afterEach, beforeEach, expect, test } from 'vitest';
import { Metrics } from '#telemetry';
import { OpsServer } from './index.js';

let ops: OpsServer;
let base: string;
beforeEach(async () => {
  ops = new OpsServer(new Metrics({ version: '1', app: 'test' }));
  base = `http://127.0.0.1:${await ops.listen(0, '127.0.0.1')}`;
});
afterEach(() => ops.close());

async function get(path: string, method = 'GET') {
  const response = await fetch(base + path, { method });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

test('OP-2 readiness names what is not ready; health does not ask', async () => {
  let redis: Error | undefined = new Error('no answer for 3 s');
  ops.addReadiness('redis', () => {
    if (redis) throw redis;
  });
  ops.addReadiness('control', async () => undefined);
  const away = await get('/readyz');
  expect([away.status, JSON.parse(away.text)]).toEqual([
    503,
    { ready: false, draining: false, checks: { redis: 'no answer for 3 s', control: 'ok' } },
  ]);
  expect(await get('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  redis = undefined;
  expect((await get('/readyz?verbose')).status).toBe(200);
});

test('OP-2 a draining process is alive and not ready', async () => {
  ops.drain();
  expect(JSON.parse((await get('/readyz')).text)).toEqual({ ready: false, draining: true, checks: {} });
  expect((await get('/readyz')).status).toBe(503);
  expect((await get('/healthz')).status).toBe(200);
});

test('OP-2 a check that hangs counts as failed before a probe gives up', async () => {
  ops.addReadiness('stuck', () => new Promise(() => undefined));
  const { status, text } = await get('/readyz');
  expect(status).toBe(503);
  expect(JSON.parse(text).checks.stuck).toMatch(/timeout/i);
});

test('OP-4 metrics are served in the exposition format; anything else is not found', async () => {
  const metrics = await get('/metrics');
  expect(metrics.type).toContain('text/plain');
  expect(metrics.text).toContain('turnpike_build_info');
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', 'POST')).status).toBe(404);
});

test('OP-2 a port that is taken is an error', async () => {
  const other = new OpsServer(new Metrics({ version: '1', app: 'test' }));
  await expect(other.listen(Number(new URL(base).port), '127.0.0.1')).rejects.toThrow('EADDRINUSE');
});
