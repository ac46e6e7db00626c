import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { Fleet } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let fleet: Fleet;

beforeAll(async () => {
  redis = await startRedis();
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: 'http://127.0.0.1:9/v1', toolUrl: '' });
  await Promise.all([fleet.start('ingress'), fleet.start('runner')]);
}, 60_000);

afterAll(async () => {
  await fleet?.close();
  await redis?.stop();
});

const reload = (token = 'test-admin-token-0000'): Promise<Response> =>
  fetch(`${fleet.of('ingress')[0]?.url}/api/config/reload`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });

function rewrite(change: Record<string, unknown>): void {
  const config = JSON.parse(readFileSync(fleet.configPath, 'utf8')) as Record<string, unknown>;
  writeFileSync(fleet.configPath, JSON.stringify({ ...config, ...change }));
}

const readAgain = (): number =>
  [...fleet.members].filter(({ lines }) => lines.some(({ msg }) => msg === 'Configuration read again')).length;

proves('OP-6', 'a bad configuration is refused with everything that is wrong, and the old one stays everywhere', async () => {
  rewrite({ log: { level: 'loud' }, limits: { fleet: { concurrency: -1 } } });
  const answer = await reload();
  expect(answer.status).toBe(422);
  const { errors } = (await answer.json()) as { errors: { path: string }[] };
  expect(errors.map(({ path }) => path).sort()).toEqual(['limits.fleet.concurrency', 'log.level']);
  expect(readAgain()).toBe(0);
});

proves(['OP-6', 'QU-1'], 'a good one counts in every process at once; what needs a restart is named', async () => {
  rewrite({
    log: { level: 'info' },
    limits: { fleet: { concurrency: 7 } },
    http: { port: 0, host: '127.0.0.1', webhookTimeoutMs: 999 },
  });
  const answer = await reload();
  expect([answer.status, await answer.json()]).toEqual([200, { needRestart: ['http.webhookTimeoutMs'] }]);
  await waitUntil('both have read it', readAgain, (count) => count === 2);
  const limits = async () => redis.cli('HGET', '{limits}:limits', 'f');
  expect(await waitUntil('the limit is in force', limits, (value) => value === '7 0 1')).toBe('7 0 1');
  const headers = { authorization: 'Bearer test-admin-token-0000', 'content-type': 'application/json' };
  const body = JSON.stringify({ fleet: { concurrency: 9 } });
  await fetch(`${fleet.of('ingress')[0]?.url}/api/limits`, { method: 'PUT', headers, body });
  // A runner that is added, and a reload that changes something else, leave what was set by hand.
  await fleet.start('runner');
  const members = [...fleet.members];
  const readings = () => members.map(({ lines }) => lines.filter(({ msg }) => msg === 'Configuration read again').length);
  const before = readings();
  rewrite({ log: { level: 'info', content: false }, lanes: { sweepMs: 6000 } });
  expect((await reload()).status).toBe(200);
  await waitUntil('all have read it again', readings, (now) => now.every((count, n) => count > (before[n] ?? 0)));
  expect(await limits()).toBe('9 0 1');
  expect((await reload('someone-elses-token')).status).toBe(401);
});
