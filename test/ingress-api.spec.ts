import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionKey } from '#kernel';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { startIngressWorld, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';

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
const waiting = async (name: string) => (await world.parts.platform.sessions.state(keyOf(name))).waiting;
const send = (name: string, body: unknown, headers?: Record<string, string>, token = TOKEN.ann): Promise<Answer> =>
  world.call('POST', `/api/sessions/${name}/messages`, { token, body, ...(headers && { headers }) });

proves('IN-5', 'a message is stored, then answered with 202 and the ids that name it', async () => {
  const answer = await send('plain', { message: 'hello' });
  expect(answer).toMatchObject({ status: 202, body: { session: keyOf('plain'), sequence: 1, duplicate: false } });
  const { messageId, turnId } = answer.body;
  expect(messageId).toMatch(/^m[\w-]{23}$/);
  expect(turnId).toBe(`${String(messageId)}~0`);
  expect(await waiting('plain')).toBe(1);
  expect((await send('plain', { message: 'hello' })).body).toMatchObject({ sequence: 2 });
});

describe('bad input', () => {
  const rows: [what: string, options: { body?: unknown; headers?: Record<string, string> }, status: number, detail: RegExp][] = [
    ['malformed JSON', { body: '{"message": "hi"' }, 400, /not valid JSON/],
    ['an empty body', { body: '' }, 400, /^body: /],
    ['no body', {}, 400, /^body: /],
    ['JSON that is no object', { body: '"hi"' }, 400, /^body: /],
    ['no message', { body: {} }, 400, /^message: /],
    ['a message that is no text', { body: { message: 7 } }, 400, /^message: /],
    ['an empty message', { body: { message: '' } }, 400, /^message: is empty/],
    ['more than 100000 characters', { body: { message: 'x'.repeat(100_001) } }, 400, /^message: is too long/],
    ['a null byte', { body: { message: 'a\u0000b' } }, 400, /^message: holds a null byte/],
    ['half a surrogate pair', { body: '{"message":"\\ud800"}' }, 400, /^message: holds half/],
    ['bytes that are no UTF-8', { body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, /not valid JSON in UTF-8/],
    ['an unknown field', { body: { message: 'hi', sessionKey: 'other' } }, 400, /^sessionKey: is not a field/],
    [
      'an unknown field inside',
      { body: { message: 'hi', attachments: [{ type: 'file', url: 'https://a.b/c', x: 1 }] } },
      400,
      /^attachments\.0\.x: is not/,
    ],
    [
      'an attachment that is no web address',
      { body: { message: 'hi', attachments: [{ type: 'file', url: 'file:///etc/passwd' }] } },
      400,
      /^attachments\.0\.url: /,
    ],
    ['form encoding', { body: 'message=hi', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, /Send JSON/],
    ['no content type', { body: new Uint8Array([0x7b, 0x7d]), headers: { 'content-type': '' } }, 415, /Send JSON/],
    ['a compressed body', { body: '{"message":"hi"}', headers: { 'content-encoding': 'gzip' } }, 415, /without Content-Encoding/],
    ['a body of 10 MB', { body: JSON.stringify({ message: 'x'.repeat(10_000_000) }) }, 413, /larger than this server reads/],
    [
      'an Idempotency-Key of 201 characters',
      { body: { message: 'hi' }, headers: { 'idempotency-key': 'k'.repeat(201) } },
      400,
      /Idempotency-Key/,
    ],
  ];
  for (const [what, options, status, detail] of rows) {
    proves(['IN-6', 'T10'], `${what} is answered ${status}, and nothing is enqueued`, async () => {
      for (const route of ['messages', 'invoke']) {
        const answer = await world.call('POST', `/api/sessions/bad/${route}`, { token: TOKEN.ann, ...options });
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(answer.body).toMatchObject({
          status,
          title: expect.any(String),
          type: expect.stringMatching(/^urn:turnpike:problem:/),
        });
        expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
        expect(await waiting('bad')).toBe(0);
      }
    });
  }

  for (const name of [
    'a b',
    'a/../b',
    'a:b',
    '%00',
    'ä',
    'x'.repeat(65),
    'a.b',
    'default.main.webchat.default.direct.',
    '~',
    'x'.repeat(201),
  ]) {
    proves('IN-6', `the session ${JSON.stringify(name)} is refused with what is allowed`, async () => {
      const answer = await send(encodeURIComponent(name === '%00' ? '\u0000' : name), { message: 'hi' });
      expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/1 to 64 of A-Z a-z 0-9 _ -/) } });
    });
  }

  proves('IN-6', '100000 characters of any script are not too long', async () => {
    expect((await send('long', { message: '汉'.repeat(100_000) })).status).toBe(202);
  });
});

describe('Idempotency-Key', () => {
  proves(['IN-4', 'B094'], 'the same request is stored once, on any replica, and answered like the first', async () => {
    const other = await startIngressWorld(redis.url);
    const body = { message: 'once' };
    const headers = { 'idempotency-key': 'order 1' };
    const first = await send('twice', body, headers);
    const second = await other.call('POST', '/api/sessions/twice/messages', { token: TOKEN.ann, body, headers });
    expect(second).toMatchObject({
      status: 202,
      body: { messageId: first.body.messageId, turnId: first.body.turnId, sequence: 1, duplicate: true },
    });
    const twins = await Promise.all(
      [world, other, world, other].map((one) =>
        one.call('POST', '/api/sessions/twins/messages', { token: TOKEN.ann, body, headers }),
      ),
    );
    expect(twins.filter((twin) => twin.body.duplicate)).toHaveLength(3);
    expect([await waiting('twice'), await waiting('twins')]).toEqual([1, 1]);
    await other.close();
  });

  proves('IN-4', 'the same key with another message is refused', async () => {
    const headers = { 'idempotency-key': 'order 2' };
    await send('reused', { message: 'one' }, headers);
    expect(await send('reused', { message: 'two' }, headers)).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/Use a new key/) },
    });
    expect(await waiting('reused')).toBe(1);
  });

  proves(['IN-4', 'TN-1'], 'a key means nothing in another session or tenant', async () => {
    const headers = { 'idempotency-key': 'order 3' };
    const bodies = await Promise.all([
      send('k1', { message: 'x' }, headers),
      send('k2', { message: 'x' }, headers),
      send('k1', { message: 'x' }, headers, TOKEN.eve),
    ]);
    expect(bodies.map(({ body }) => body.duplicate)).toEqual([false, false, false]);
    expect(new Set(bodies.map(({ body }) => body.messageId)).size).toBe(3);
  });

  test('IN-4 requests without a key are messages of their own', async () => {
    await Promise.all([send('keyless', { message: 'x' }), send('keyless', { message: 'x' })]);
    expect(await waiting('keyless')).toBe(2);
  });
});

describe('control', () => {
  proves('RT-4', '/stop is obeyed and not enqueued; sent again under its key it does nothing again', async () => {
    await send('stopped', { message: 'work' });
    const headers = { 'idempotency-key': 'stop 1' };
    expect(await send('stopped', { message: ' /stop ' }, headers)).toMatchObject({
      status: 200,
      body: { command: 'stop', turn: null, reply: 'Nothing ran. The message that waited is dropped.', duplicate: false },
    });
    expect(await send('stopped', { message: '/stop' }, headers)).toMatchObject({ body: { command: 'stop', duplicate: true } });
    expect(await waiting('stopped')).toBe(0);
    await send('stopped', { message: 'later work' }, { 'idempotency-key': 'work 1' });
    expect(await waiting('stopped')).toBe(1);
    const reused = { status: 422, body: { type: 'urn:turnpike:problem:idempotency-key-reused' } };
    for (const message of ['/stop', '/verbose on'])
      expect(await send('stopped', { message }, { 'idempotency-key': 'work 1' })).toMatchObject(reused);
    expect(await send('stopped', { message: 'work' }, headers)).toMatchObject(reused);
    expect(await waiting('stopped')).toBe(1);
  });

  proves('QU-3', 'without a running turn there is none to stop', async () => {
    expect(await world.call('DELETE', '/api/sessions/idle/turns/current', { token: TOKEN.ann })).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/No turn runs/) },
    });
  });

  proves(['QU-3', 'QU-6'], 'what waits is seen, and cancelled by id or all, from any replica', async () => {
    const other = await startIngressWorld(redis.url);
    const at = (method: string, path: string) => other.call(method, `/api/sessions/lined-up/${path}`, { token: TOKEN.ann });
    const sent = [];
    for (const n of [1, 2, 3, 4]) sent.push((await send('lined-up', { message: `m${n}` })).body);
    const ids = sent.map(({ messageId }) => messageId);
    expect(sent.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    const entry = (index: number, position: number) => ({
      position,
      messageId: ids[index],
      acceptedAt: expect.any(Number),
      ageMs: expect.toSatisfy((ms: number) => ms >= 0),
    });
    expect((await at('GET', 'queue?first=2')).body).toEqual({
      session: keyOf('lined-up'),
      running: null,
      waiting: 4,
      messages: [entry(0, 1), entry(1, 2)],
    });
    const once = await at('DELETE', `queue/${String(ids[1])}`);
    expect(once).toMatchObject({ status: 202, body: { messageId: ids[1] } });
    expect((await at('DELETE', `queue/${String(ids[1])}`)).body).toEqual(once.body);
    expect(await at('DELETE', `turns/${String(sent[3]?.turnId)}`)).toMatchObject({
      status: 202,
      body: { turn: sent[3]?.turnId },
    });
    expect((await at('GET', 'queue')).body).toMatchObject({ waiting: 2, messages: [entry(0, 1), entry(2, 2)] });
    expect((await world.call('GET', '/api/sessions/lined-up', { token: TOKEN.ann })).body).toMatchObject({
      session: keyOf('lined-up'),
      accepted: 4,
      waiting: 2,
      oldestWaitingMs: expect.any(Number),
      running: null,
      runningMs: null,
    });
    expect(await at('DELETE', 'queue')).toMatchObject({ status: 202, body: { cancelled: 2 } });
    expect((await at('GET', 'queue')).body).toMatchObject({ waiting: 0, messages: [] });
    expect([(await at('DELETE', 'queue/nothing')).status, (await at('DELETE', 'turns/nothing~0')).status]).toEqual([404, 404]);
    await other.close();
  });

  proves(
    ['G6', 'QU-4'],
    'limits are read and patched while the fleet runs; a bad patch names what is wrong and changes nothing',
    async () => {
      const put = (body: unknown) => world.call('PUT', '/api/limits', { token: TOKEN.admin, body });
      const acme = { weight: 3, agents: { main: { concurrency: 2 } } };
      expect(await put({ fleet: { concurrency: 7 }, tenants: { acme } })).toMatchObject({ status: 200 });
      const changed = await put({ fleet: { turnsPerSecond: 2.5 }, tenants: { acme: { weight: 4 } } });
      const limits = {
        fleet: { concurrency: 7, turnsPerSecond: 2.5 },
        tenant: { concurrency: 0, turnsPerSecond: 0, weight: 1 },
        agent: { concurrency: 0, turnsPerSecond: 0 },
        tenants: { acme: { ...acme, weight: 4 } },
      };
      expect(changed).toMatchObject({ status: 200, body: { limits } });
      const bad = await put({ fleet: { concurrency: -1 }, tenants: { acme: { size: 1 } } });
      expect(bad).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(/fleet\.concurrency.*tenants\.acme\.size/) },
      });
      const now = await world.call('GET', '/api/limits', { token: TOKEN.admin });
      expect(now.body).toEqual({ limits, load: { running: 0, waiting: 0, tenants: [] } });
      expect((await put({ fleet: null, tenants: null })).body).toMatchObject({
        limits: { fleet: { concurrency: 0 }, tenants: {} },
      });
    },
  );

  proves('OP-3', 'the summary counts what is busy and names the oldest', async () => {
    await send('counted', { message: 'x' });
    const { body } = await world.call('GET', '/api/queues/summary', { token: TOKEN.admin });
    expect(body).toEqual({
      turns: { busy: expect.toSatisfy((n: number) => n > 0), oldest: { key: expect.any(String), since: expect.any(Number) } },
      deliveries: { busy: 0, oldest: null },
    });
  });
});
