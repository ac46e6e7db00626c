import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Platform } from '#host';
import type { SessionKey } from '#kernel';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { startWebhookReceiver, type WebhookReceiver } from './fakes/webhook-receiver.js';
import { Fleet } from './harness/fleet.js';
import { openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { OpsOf } from './ops-of.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TOKEN = { acme: 'token-of-the-acme-tenant', beta: 'token-of-the-beta-tenant' };
type Tenant = keyof typeof TOKEN;
const secretOf = (tenant: string): string => `webhook-secret-of-${tenant}`;
const BETA = 'beta.main.generic.beta-crm.direct.conv-1' as SessionKey;

let redis: RedisServer;
let fleet: Fleet;
let model: ModelServer;
let receiver: Record<Tenant | 'gamma', WebhookReceiver>;
let platform: Platform;
/** What the model waits for before it answers `wait`. */
let held = Promise.withResolvers<void>();

beforeAll(async () => {
  [redis, model] = await Promise.all([startRedis(), startModelServer({ answer })]);
  const [acme, beta, gamma] = await Promise.all([1, 2, 3].map(() => startWebhookReceiver({ dedupe: true })));
  if (!acme || !beta || !gamma) throw new Error('three receivers');
  receiver = { acme, beta, gamma };
  const tenant = (name: Tenant | 'gamma', agents: object = { main: agent(name) }) => ({
    agents,
    channels: { webhook: { accounts: { [`${name}-crm`]: { secret: secretOf(name), outboundUrl: receiver[name].url } } } },
  });
  const bindings = [{ agent: 'staff', match: { channel: 'generic', guild: 'g1', roles: ['admin'] } }];
  const gammas = { main: agent('gamma'), staff: agent('gamma staff') };
  const config = {
    tenants: {
      acme: tenant('acme'),
      beta: tenant('beta'),
      gamma: { ...tenant('gamma', gammas), defaultAgent: 'main', bindings, session: { dmScope: 'main' } },
    },
    auth: { tokens: Object.entries(TOKEN).map(([name, token]) => ({ name, token, tenant: name, pairing: true })) },
    session: { queue: { debounceMs: 150 } },
  };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:1', config });
  await Promise.all([fleet.start('ingress', 3), fleet.start('runner'), fleet.start('dispatcher')]);
  platform = await openPlatform(fleet.configPath);
}, 60_000);

afterAll(async () => {
  await fleet?.close();
  await Promise.all([platform?.close(), model?.close(), ...Object.values(receiver ?? {}).map((one) => one.close())]);
  await redis?.stop();
});

const agent = (name: string) => ({ model: 'openai/any', systemPrompt: `agent of ${name}` });

/** Says who it is and everything it was told. */
async function answer({ messages }: { messages: { role: string; content?: unknown }[] }) {
  const said = messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  if (said.at(-1)?.includes('wait')) await held.promise;
  const heard = messages.flatMap(({ role }, i) => (role === 'user' ? [/(\w+)\W*$/.exec(said[i] ?? '')?.[1] ?? ''] : []));
  return { text: `${/agent of [\w ]+/.exec(said[0] ?? '')?.[0]} heard ${heard.join(' ')}` };
}

interface Post {
  conversation?: string;
  id?: string;
  by?: number;
  more?: object;
}

/** A webhook to the account of a tenant. */
async function post(
  tenant: string,
  text: string,
  { conversation = 'conv-1', id = text, by = 0, more = {} }: Post = {},
  as = tenant,
) {
  const body = JSON.stringify({
    type: 'message',
    id,
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'u1' },
    text,
    ...more,
  });
  const signature = `sha256=${createHmac('sha256', secretOf(as)).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-signature-256': signature };
  return fetch(`${fleet.of('ingress')[by]?.url}/webhooks/generic/${tenant}-crm`, { method: 'POST', headers, body });
}

const ask = (token: string, method: string, path: string, body?: object) =>
  fetch(`${fleet.of('ingress')[1]?.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

proves(
  ['TN-1', 'RT-2'],
  'the same person, chat and event ids at two tenants are two conversations, each with its own agent',
  async () => {
    for (const text of ['one', 'two']) {
      for (const tenant of ['acme', 'beta'] as const) expect((await post(tenant, text)).status).toBe(200);
      for (const tenant of ['acme', 'beta'] as const) {
        const [said] = await receiver[tenant].nextMessages('conv-1', 1);
        expect(said?.text).toBe(`agent of ${tenant} heard ${text === 'one' ? 'one' : 'one two'}`);
      }
    }
    const keys = await redis.cli('KEYS', '*conv-1*');
    for (const key of keys.split('\n').filter(Boolean)) expect(key).toMatch(/acme|beta/);
  },
);

proves(
  ['TN-1', 'B018', 'T10'],
  'nothing of another tenant can be read, steered, stopped or watched, whatever surface is tried',
  async () => {
    await post('beta', 'wait');
    const running = await waitUntil(
      'the turn runs',
      () => platform.sessions.state(BETA),
      ({ running: turn }) => turn !== undefined,
    );
    await post('beta', 'after');
    const before = await waitUntil(
      'one waits',
      () => platform.sessions.state(BETA),
      ({ waiting }) => waiting === 1,
    );
    const [turn, at] = [encodeURIComponent(running.running?.turn ?? ''), `/api/sessions/${BETA}`];
    const message = { message: 'intrusion' };
    const tries: [string, string, object?][] = [
      ['POST', `${at}/messages`, message],
      ['POST', `${at}/invoke`, message],
      ['POST', `${at}/messages`, { message: '/stop' }],
      ['GET', `${at}/messages`],
      ['GET', at],
      ['GET', `${at}/events`],
      ['GET', `${at}/queue`],
      ['DELETE', `${at}/queue`],
      ['DELETE', `${at}/queue/${turn.split('~')[0]}`],
      ['DELETE', `${at}/turns/current`],
      ['DELETE', `${at}/turns/${turn}`],
      ['POST', '/api/sessions/beta.nobody.main/messages', message],
      ['GET', `${at}/parks`],
      ['POST', `${at}/parks/abcd`, { decision: 'approve' }],
      ['GET', '/api/pairing?tenant=beta'],
      ['POST', '/api/pairing/approve?tenant=beta', { code: 'ABCDEFGH' }],
      ['DELETE', '/api/pairing/generic/beta-crm/u1?tenant=beta'],
      ['POST', '/api/config/reload'],
      ['GET', '/api/limits'],
      ['PUT', '/api/limits', { concurrency: 1, turnsPerSecond: 1 }],
      ['GET', '/api/queues/summary'],
      ['GET', `/queues/api/queues?activeQueue=s-${BETA}`],
      ['GET', '/queues'],
    ];
    for (const [method, path, body] of tries) {
      const response = await ask(TOKEN.acme, method, path, body);
      expect([method, path, response.status]).toEqual([method, path, 403]);
      expect(await response.text()).not.toMatch(/beta|conv-1|one two/);
    }
    // A turn of another tenant named in the caller's own session, a session in a body, another tenant's account.
    expect((await ask(TOKEN.acme, 'DELETE', `/api/turns/${turn}`)).status).toBe(404);
    expect((await ask(TOKEN.acme, 'DELETE', `/api/queue/${turn.split('~')[0]}`)).status).toBe(404);
    for (const field of ['session', 'sessionKey', 'tenant', 'agent', 'target'])
      expect((await ask(TOKEN.acme, 'POST', '/api/messages', { ...message, [field]: BETA })).status).toBe(400);
    expect((await post('beta', 'intrusion', {}, 'acme')).status).toBe(401);
    expect(await closeCode({ type: 'auth', token: TOKEN.acme, session: BETA })).toBe(4403);
    expect((await ask(TOKEN.acme, 'GET', '/metrics')).status).toBe(404);
    expect(await platform.sessions.state(BETA)).toEqual({ ...before, now: expect.any(Number) });
    held.resolve();
    const [first, second] = await receiver.beta.nextMessages('conv-1', 2);
    expect([first?.text, second?.text]).toEqual(['agent of beta heard one two wait', 'agent of beta heard one two wait after']);
  },
);

proves('TN-1', 'a session of the same name is another at each tenant, and metrics name nobody', async () => {
  for (const tenant of ['acme', 'beta'] as const) {
    const said = await ask(TOKEN[tenant], 'POST', '/api/sessions/bob/invoke', { message: tenant });
    expect(await said.json()).toMatchObject({ text: `agent of ${tenant} heard ${tenant}` });
    const state = await ask(TOKEN[tenant], 'GET', '/api/sessions/bob');
    expect(await state.json()).toMatchObject({ session: `${tenant}.main.webchat.default.direct.bob`, accepted: 1 });
  }
  for (const member of fleet.members) {
    const text = await new OpsOf(member).metrics();
    expect(text).toContain('turnpike_build_info');
    expect(text).not.toMatch(/acme|beta|conv-1|bob/);
  }
});

proves(['B068', 'IN-4'], 'five first messages of a new chat at once, over three ingresses, are one session', async () => {
  const sent = ['a', 'b', 'c', 'd', 'e'].map((text, i) => post('acme', text, { conversation: 'new', by: i % 3 }));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const key = 'acme.main.generic.acme-crm.direct.new' as SessionKey;
  const records = await waitUntil(
    'all are answered',
    () => platform.sessions.transcript(key, 9),
    (all) => all.flatMap(({ inputs }) => inputs).length === 5,
  );
  expect(records.flatMap(({ inputs }) => inputs)).toHaveLength(5);
  expect((await platform.sessions.state(key)).accepted).toBe(5);
  expect((await redis.cli('KEYS', '*head*direct.new*')).split('\n')).toHaveLength(1);
});

proves(
  ['RT-2', 'RT-1'],
  'chats that share a session share its memory; each is answered in its own place, in a turn of its own',
  async () => {
    await post('gamma', 'red', { conversation: 'left', more: { sender: { id: 'u1' } } });
    await post('gamma', 'blue', { conversation: 'right', more: { sender: { id: 'u2' } } });
    const [left] = await receiver.gamma.nextMessages('left', 1);
    const [right] = await receiver.gamma.nextMessages('right', 1);
    expect([left?.text, right?.text]).toEqual(['agent of gamma heard red', 'agent of gamma heard red blue']);
    expect(await platform.sessions.transcript('gamma.main.main' as SessionKey, 9)).toHaveLength(2);
    await post('gamma', 'green', { conversation: 'left', more: { guild: 'g1', roles: ['admin'] } });
    const [staff] = await receiver.gamma.nextMessages('left', 1);
    expect(staff?.text).toBe('agent of gamma staff heard green');
  },
);

async function closeCode(frame: object): Promise<number> {
  const socket = new WebSocket(`${fleet.of('ingress')[2]?.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  socket.send(JSON.stringify(frame));
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}
