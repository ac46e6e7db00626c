import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { startIngressWorld, TOKEN, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let world: IngressWorld;

beforeAll(async () => {
  redis = await startRedis();
  world = await startIngressWorld(redis.url);
  for (const name of ['first', 'second']) {
    for (const message of ['one', 'two'])
      await world.call('POST', `/api/sessions/${name}/messages`, { token: TOKEN.ann, body: { message } });
  }
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});

interface Listed {
  name: string;
  readOnlyMode: boolean;
  counts: Record<string, number>;
}
const queues = async (path = '/queues/api/queues'): Promise<Listed[]> =>
  (await world.call('GET', path, { token: TOKEN.admin })).body.queues as Listed[];
const mailbox = (name: string) => `s-default.main.webchat.default.direct.${name}`;

proves(['OP-3', 'IN-6'], 'the board is for admins: every page, file and call of it', async () => {
  for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/queue/turns', '/queues/static/favicon-32x32.png']) {
    const statuses = await Promise.all(
      [undefined, 'wrong-token', TOKEN.ann, TOKEN.admin].map(async (token) => (await world.call('GET', path, { token })).status),
    );
    expect([path, ...statuses]).toEqual([path, 401, 401, 403, 200]);
  }
});

proves('OP-3', 'it shows the activations of both lanes, dead letters, and the sessions that are busy now', async () => {
  const listed = await queues();
  expect(listed.map(({ name }) => name).sort()).toEqual([
    'dead-deliveries',
    'deliveries',
    mailbox('first'),
    mailbox('second'),
    'turns',
  ]);
  expect(listed.find(({ name }) => name === mailbox('first'))?.counts).toMatchObject({ waiting: 2 });
});

proves('OP-3', 'any other session is shown on demand, without leaving a key of it in Redis', async () => {
  const idle = mailbox('idle');
  expect((await queues(`/queues/api/queues?activeQueue=${idle}`)).map(({ name }) => name)).toContain(idle);
  expect(await redis.cli('--scan', '--pattern', `*${idle}*`)).toBe('');
  expect((await queues('/queues/api/queues?activeQueue=s-no.session')).map(({ name }) => name)).not.toContain('s-no.session');
});

proves('OP-3', 'it only shows: whatever would change a queue is refused, and the page is told so', async () => {
  const changeable = (listed: Listed[]) => listed.filter(({ readOnlyMode }) => !readOnlyMode).map(({ name }) => name);
  expect(changeable(await queues())).toEqual(['dead-deliveries']);
  const viewed = await world.call('GET', '/queues/api/queues', { token: TOKEN.viewer });
  expect(changeable(viewed.body.queues as Listed[])).toEqual([]);
  for (const [method, path] of [
    ['PUT', 'turns/pause'],
    ['PUT', `${mailbox('first')}/obliterate`],
    ['PUT', `${mailbox('first')}/clean/wait`],
    ['POST', `${mailbox('first')}/add`],
  ] as const) {
    expect((await world.call(method, `/queues/api/queues/${path}`, { token: TOKEN.admin, body: {} })).status).toBe(405);
  }
  expect(await redis.cli('LLEN', `{b0}:${mailbox('first')}:wait`)).toBe('2');
});

proves(
  ['OP-3', 'IN-6'],
  'a browser signs in once by token; the cookie is no token, and a changed or foreign one opens nothing',
  async () => {
    expect((await world.call('GET', `/queues?token=${TOKEN.ann}`)).status).toBe(401);
    expect((await world.call('GET', `/queues?token=${TOKEN.admin}&token=x`)).status).toBe(401);
    const signedIn = await world.call('GET', `/queues?token=${TOKEN.admin}`);
    expect([signedIn.status, signedIn.headers.get('location'), signedIn.headers.get('referrer-policy')]).toEqual([
      303,
      '/queues',
      'no-referrer',
    ]);
    const [, cookie = '', attributes = ''] = /^(.*?); (.*)$/.exec(signedIn.headers.get('set-cookie') ?? '') ?? [];
    expect(attributes).toBe('Path=/queues; Max-Age=43200; HttpOnly; SameSite=Strict');
    expect(cookie).not.toContain(TOKEN.admin);
    const statusWith = async (value: string, of = world) =>
      (await of.call('GET', '/queues/api/queues', { headers: { cookie: value } })).status;
    const [, until = '', signature = ''] = /=(\d+)\.operator\.(.*)$/.exec(cookie) ?? [];
    expect(
      await Promise.all(
        [
          cookie,
          `other=1; ${cookie}`,
          cookie.slice(0, -1),
          `turnpike_board=${Number(until) + 1}.operator.${signature}`,
          `turnpike_board=${until}.viewer.${signature}`,
          'turnpike_board=1.x',
        ].map((value) => statusWith(value)),
      ),
    ).toEqual([200, 200, 401, 401, 401, 401]);
    const replica = await startIngressWorld(redis.url);
    const other = await startIngressWorld(redis.url, { auth: { adminToken: 'another-admin-token-here' } });
    expect([await statusWith(cookie, replica), await statusWith(cookie, other)]).toEqual([200, 401]);
    await Promise.all([replica.close(), other.close()]);
  },
);

proves(
  ['OP-3', 'IN-6'],
  'a browser that is nobody yet is asked for a token; a wrong one is 401 and counted, a right one opens the board',
  async () => {
    const asked = await fetch(`${world.url}/queues/queue/turns`, { headers: { accept: 'text/html' } });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
    expect(await asked.text()).toContain('action="/queues/login"');
    const login = (token: string) =>
      fetch(`${world.url}/queues/login`, { method: 'POST', body: new URLSearchParams({ token }), redirect: 'manual' });
    expect((await login('wrong-token')).status).toBe(401);
    expect((await login(TOKEN.ann)).status).toBe(401);
    const opened = await login(TOKEN.admin);
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/queues']);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await world.call('GET', '/queues/api/queues', { headers: { cookie } })).status).toBe(200);
  },
);

proves(
  'OP-3',
  'with 3,000 sessions busy the board lists as many as it has room for, and the call takes no longer for it',
  async () => {
    const { busy, keyspace, request } = world.parts.platform;
    const few = performance.now();
    await queues();
    const before = performance.now() - few;
    const [bucket] = keyspace.buckets;
    const key = keyspace.busy('turns', bucket ?? expect.fail());
    const names = Array.from({ length: 3_000 }, (_, n) => `default.main.webchat.default.direct.many-${n}`);
    await request.zadd(key, ...names.flatMap((name, n) => [1e12 + n, name]));
    try {
      expect(await busy.count('turns')).toBeGreaterThanOrEqual(3_000);
      const began = performance.now();
      const listed = await queues();
      expect(listed.filter(({ name }) => name.startsWith('s-')).length).toBeLessThanOrEqual(60);
      expect(performance.now() - began).toBeLessThan(20 * before + 1000);
    } finally {
      await request.zrem(key, ...names);
    }
  },
);

proves(['OP-3', 'B112'], 'with several buckets the queues of each are shown apart', async () => {
  const own = await startRedis();
  const spread = await startIngressWorld(own.url, { redis: { buckets: 3 } });
  for (const name of ['a', 'b', 'c'])
    await spread.call('POST', `/api/sessions/${name}/messages`, { token: TOKEN.ann, body: { message: 'x' } });
  const { body } = await spread.call('GET', '/queues/api/queues', { token: TOKEN.admin });
  const listed = body.queues as Listed[];
  const buckets = ['b0-', 'b1-', 'b2-'];
  expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(buckets.map((bucket) => `${bucket}turns`)));
  const waiting = listed.filter(({ name }) => name.endsWith('turns')).reduce((sum, { counts }) => sum + (counts.waiting ?? 0), 0);
  expect(waiting).toBe(3);
  await spread.close();
  await own.stop();
});

proves('OP-3', 'in a browser: sign in, see the queues, open a session', async () => {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('response', (response) => response.status() >= 400 && failures.push(`${response.status()} ${response.url()}`));
    await page.goto(`${world.url}/queues`).catch(() => undefined);
    mkdirSync('test-output', { recursive: true });
    await page.screenshot({ path: 'test-output/bull-board-login.png' });
    failures.splice(0);
    await page.getByLabel('Access token').fill(TOKEN.admin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('deliveries').first().waitFor();
    expect(page.url()).toBe(`${world.url}/queues`);
    await page.goto(`${world.url}/queues/queue/${mailbox('first')}`);
    await page.getByText('1:message').first().waitFor();
    await page.screenshot({ path: 'test-output/bull-board.png' });
    expect(failures).toEqual([]);
  } finally {
    await browser.close();
  }
});
