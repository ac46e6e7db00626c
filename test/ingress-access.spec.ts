import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { SessionKey } from '#kernel';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { startIngressWorld, TELEGRAM_SECRET, TOKEN, type IngressWorld } from './ingress-world.js';
import { SseClient } from './sse-client.js';

let redis: RedisServer;
let world: IngressWorld;

beforeAll(async () => {
  redis = await startRedis();
  world = await startIngressWorld(redis.url);
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});

const keyOf = (name: string, tenant = 'default') => `${tenant}.main.webchat.default.direct.${name}` as SessionKey;
describe('who may', () => {
  const routes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/api/sessions/:key/messages', { message: 'hi' }],
    ['POST', '/api/sessions/:key/invoke', { message: '/stop' }],
    ['GET', '/api/sessions/:key/messages'],
    ['GET', '/api/sessions/:key'],
    ['GET', '/api/sessions/:key/events'],
    ['DELETE', '/api/sessions/:key/turns/current'],
    ['DELETE', '/api/sessions/:key/turns/m~0'],
    ['GET', '/api/sessions/:key/queue'],
    ['DELETE', '/api/sessions/:key/queue'],
    ['DELETE', '/api/sessions/:key/queue/m'],
  ];
  /** Status of the answer; the events of an open stream are not waited for. */
  const status = async (method: string, path: string, token: string | undefined, body: unknown): Promise<number> => {
    const stop = new AbortController();
    const response = await fetch(`${world.url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: stop.signal,
    });
    stop.abort();
    return response.status;
  };
  for (const [method, path, body] of routes) {
    proves(
      ['IN-6', 'IN-5', 'TN-1', 'T10'],
      `${method} ${path} asks for a token, and for one of the session's tenant`,
      async () => {
        const at = (key: string, token: string | undefined) => status(method, path.replace(':key', key), token, body);
        const fine = expect.toSatisfy((code: number) => code < 300 || code === 404);
        expect({
          none: await at('own', undefined),
          wrong: await at('own', 'not-a-token-of-anybody'),
          own: await at('own', TOKEN.ann),
          ownKey: await at(keyOf('own'), TOKEN.ann),
          otherTenant: await at(keyOf('own'), TOKEN.eve),
          sameNameOfOtherTenant: await at('own', TOKEN.eve),
          admin: await at(keyOf('own', 'acme'), TOKEN.admin),
          onlySession: await at('desk', TOKEN.desk),
          onlySessionKey: await at(keyOf('desk'), TOKEN.desk),
          notOnlySession: await at('own', TOKEN.desk),
          chatSession: await at('default.main.telegram.acct1.direct.700001', TOKEN.eve),
        }).toEqual({
          none: 401,
          wrong: 401,
          own: fine,
          ownKey: fine,
          otherTenant: 403,
          sameNameOfOtherTenant: fine,
          admin: fine,
          onlySession: fine,
          onlySessionKey: fine,
          notOnlySession: 403,
          chatSession: 403,
        });
      },
    );
  }

  for (const [method, path, body] of [
    ['POST', '/api/config/reload'],
    ['GET', '/api/limits'],
    ['PUT', '/api/limits', { fleet: { concurrency: 0 } }],
    ['GET', '/api/queues/summary'],
  ] as const) {
    proves('IN-6', `${method} ${path} is for admins`, async () => {
      expect([
        await status(method, path, undefined, body),
        await status(method, path, TOKEN.ann, body),
        await status(method, path, TOKEN.admin, body),
      ]).toEqual([401, 403, 200]);
    });
  }

  proves('IN-6', 'an address that cannot be read is 400, not a fault', async () => {
    for (const path of ['/api/sessions/%zz', `/api/sessions/${'x'.repeat(300)}`, '/api/%c0%80']) {
      const answer = await world.call('GET', path, { token: TOKEN.ann });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  proves('IN-6', 'a path without a route is not open either, and a challenge says how to authenticate', async () => {
    const none = await world.call('GET', '/api/nothing');
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="turnpike"']);
    const wrong = await world.call('POST', '/api/messages', { token: 'wrong-token', body: '{' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="turnpike", error="invalid_token"',
    ]);
    expect(await world.call('GET', '/api/nothing', { token: TOKEN.ann })).toMatchObject({ status: 404, body: { status: 404 } });
  });

  proves(['IN-5', 'T10'], "without a session in the path it is the token's own", async () => {
    const own = async (token: string) =>
      (await world.call('POST', '/api/messages', { token, body: { message: 'hi' } })).body.session;
    expect(await Promise.all([TOKEN.ann, TOKEN.eve, TOKEN.desk, TOKEN.admin].map(own))).toEqual([
      keyOf('ann'),
      keyOf('eve', 'acme'),
      keyOf('desk'),
      keyOf('admin'),
    ]);
  });

  proves(
    ['IN-6', 'G6'],
    'requests per minute of one token are counted by all replicas together, and of another apart',
    async () => {
      const auth = {
        requestsPerMinute: 5,
        tokens: [
          { name: 'busy', token: TOKEN.ann },
          { name: 'favoured', token: TOKEN.desk, requestsPerMinute: 7 },
          { name: 'calm', token: TOKEN.eve },
        ],
      };
      const replicas = [await startIngressWorld(redis.url, { auth }), await startIngressWorld(redis.url, { auth })];
      const calls = await Promise.all(
        [...replicas, ...replicas, ...replicas, ...replicas].map((one) =>
          one.call('GET', '/api/sessions/x', { token: TOKEN.ann }),
        ),
      );
      expect(calls.map(({ status: code }) => code).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
      const refused = calls.find(({ status: code }) => code === 429);
      expect(refused?.body).toMatchObject({
        type: 'urn:turnpike:problem:too-many-requests',
        detail: expect.stringMatching(/5 requests a minute/),
      });
      const wait = refused?.headers.get('retry-after');
      expect(Number(wait)).toBeGreaterThan(0);
      expect(refused?.headers.get('ratelimit')).toBe(`"token";r=0;t=${wait}`);
      const left = calls.filter(({ status: code }) => code === 200).map(({ headers }) => headers.get('ratelimit')?.split(';')[1]);
      expect(new Set(left)).toEqual(new Set(['r=0', 'r=1', 'r=2', 'r=3', 'r=4']));
      expect(calls.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(calls.map(() => '"token";q=5;w=60'));
      const stream = await SseClient.open(`${replicas[0]?.url}/api/sessions/x/events`, TOKEN.desk);
      expect([stream.headers.get('ratelimit-policy'), stream.headers.get('ratelimit')?.split(';')[1]]).toEqual([
        '"token";q=7;w=60',
        'r=6',
      ]);
      stream.close();
      expect((await replicas[0]?.call('GET', '/api/sessions/x', { token: TOKEN.eve }))?.status).toBe(200);
      await Promise.all(replicas.map((one) => one.close()));
    },
  );

  proves(
    ['IN-6', 'G6'],
    'who proves nothing is counted by address, by all replicas, on every door; who proves something is not',
    async () => {
      const limits = { auth: { strangerRequestsPerMinute: 6 }, http: { proxies: 1 } };
      const replicas = [await startIngressWorld(redis.url, limits), await startIngressWorld(redis.url, limits)];
      const from = (address: string, method: string, path: string, index: number, token?: string) =>
        replicas[index]?.call(method, path, {
          headers: { 'x-forwarded-for': address },
          token,
          ...(method === 'POST' && { body: { update_id: 1 } }),
        });
      const doors: [method: string, path: string, token?: string][] = [
        ['GET', '/api/queue'],
        ['GET', '/api/queue', 'not-a-token-of-anybody'],
        ['POST', '/webhooks/telegram/acct1'],
        ['POST', '/webhooks/telegram/nobody'],
        ['GET', '/queues'],
        ['GET', '/queues?token=not-a-token-of-anybody'],
      ];
      const statuses = async (): Promise<(number | undefined)[]> => {
        const answers = [];
        for (const [index, [method, path, token]] of doors.entries())
          answers.push(await from('198.51.100.7', method, path, index % 2, token));
        return answers.map((answer) => answer?.status);
      };
      expect(await statuses()).toEqual([401, 401, 401, 404, 401, 401]);
      expect(await statuses()).toEqual([429, 429, 429, 429, 429, 429]);
      const refused = await from('198.51.100.7', 'GET', '/api/queue', 0);
      expect(refused?.body).toMatchObject({
        status: 429,
        detail: expect.stringMatching(/^This address may make 6 requests a minute/),
      });
      expect(refused?.headers.get('ratelimit-policy')).toBe('"address";q=6;w=60');
      expect((await from('198.51.100.7', 'GET', '/api/queue', 0, TOKEN.ann))?.status).toBe(200);
      expect((await from('198.51.100.8', 'GET', '/api/queue', 0))?.status).toBe(401);
      const verified = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET, 'x-forwarded-for': '198.51.100.7' };
      expect(
        (await replicas[0]?.call('POST', '/webhooks/telegram/acct1', { body: { update_id: 1 }, headers: verified }))?.status,
      ).toBe(200);
      await Promise.all(replicas.map((one) => one.close()));
    },
  );
});
