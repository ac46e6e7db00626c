import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { RunningApp } from '#host';
import type { SessionKey } from '#kernel';
import { startModelServer, type ModelServer, type ModelServerRequest } from './fakes/model-server.js';
import { GENERIC_SECRET, startIngressWorld, TELEGRAM_SECRET, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { startWorkers } from './webchat-world.js';

const QUIET_MS = 1500;

let redis: RedisServer;
let model: ModelServer;
let replicas: IngressWorld[];
let workers: RunningApp | undefined;

beforeAll(async () => {
  [redis, model] = await Promise.all([
    startRedis(),
    startModelServer({ answer: (request) => ({ text: lastQuestion(request) }) }),
  ]);
  const config = { session: { queue: { debounceMs: QUIET_MS } } };
  replicas = await Promise.all([1, 2, 3].map(() => startIngressWorld(redis.url, config)));
});
afterAll(async () => {
  await workers?.stop(AbortSignal.timeout(5000));
  await Promise.all(replicas.map((replica) => replica.close()));
  await model.close();
  await redis.stop();
});

function lastQuestion({ messages }: ModelServerRequest): string {
  return /nonce-\d+-\w/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content))?.[0] ?? 'no nonce';
}

const replica = (index: number): IngressWorld => replicas[index] ?? (replicas[0] as IngressWorld);
const accepted = async (session: string) => (await replica(0).parts.platform.sessions.state(session as SessionKey)).accepted;

function telegram(index: number, id: number, chat: number, text: string): Promise<Answer> {
  const from = { id: chat, is_bot: false, first_name: 'A' };
  const message = { message_id: id, date: 1764547200, chat: { id: chat, type: 'private' }, from, text };
  const headers = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET };
  return replica(index).call('POST', '/webhooks/telegram/acct1', { body: { update_id: id, message }, headers });
}

function generic(index: number, conversation: string, id: string, text: string): Promise<Answer> {
  const body = JSON.stringify({
    type: 'message',
    id,
    conversation: { id: conversation, type: 'direct' },
    sender: { id: 'u' },
    text,
  });
  const signature = createHmac('sha256', GENERIC_SECRET).update(body).digest('hex');
  return replica(index).call('POST', '/webhooks/generic/shop', { body, headers: { 'x-signature-256': `sha256=${signature}` } });
}

proves(['B012', 'IN-4', 'G6'], 'an update that three replicas take within 5 ms is one message, 200 times', async () => {
  const statuses = new Set<number>();
  const updates = async (chat: number): Promise<void> => {
    for (let id = chat - 899; id <= 200; id += 4) {
      const answers = await Promise.all([0, 1, 2].map((index) => telegram(index, id, chat, `update ${id}`)));
      for (const { status } of answers) statuses.add(status);
    }
  };
  await Promise.all([900, 901, 902, 903].map(updates));
  expect([...statuses]).toEqual([200]);
  const sessions = [900, 901, 902, 903].map((chat) => accepted(`default.main.telegram.acct1.direct.${chat}`));
  expect(await Promise.all(sessions)).toEqual([50, 50, 50, 50]);
});

proves('B012', 'a retry under its key through the web chat gets the ids of the first, on any replica', async () => {
  const send = (index: number) =>
    replica(index).call('POST', '/api/sessions/again/messages', {
      token: TOKEN.ann,
      body: { message: 'hello' },
      headers: { 'idempotency-key': 'again 1' },
    });
  const first = await send(0);
  expect((await send(1)).body).toEqual({ ...first.body, position: undefined, duplicate: true });
});

proves(['B028', 'IN-4', 'QU-2'], 'two copies of one message inside a quiet window are one message, 100 times', async () => {
  const jitter = (n: number) => new Promise((resolve) => setTimeout(resolve, (n * 7) % 4));
  await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const copy = (index: number) => generic(index % 3, `quiet-${n % 10}`, `copy-${n}`, `text ${n}`);
      const answers = await Promise.all([copy(n), jitter(n).then(() => copy(n + 1))]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    }),
  );
  const sessions = Array.from({ length: 10 }, (_, n) => accepted(`default.main.generic.shop.direct.quiet-${n}`));
  expect(await Promise.all(sessions)).toEqual(Array.from({ length: 10 }, () => 10));
});

proves('IN-4', 'a platform that says another thing under a known id gets its 2xx, and nothing is stored again', async () => {
  const answers = [await generic(0, 'changed', 'c1', 'one'), await generic(1, 'changed', 'c1', 'another')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await accepted('default.main.generic.shop.direct.changed')).toBe(1);
});

proves(['IN-3', 'IN-4'], 'a webhook that was stored but answered too late is acknowledged when it comes again', async () => {
  const slow = await startIngressWorld(redis.url, { http: { webhookTimeoutMs: 100 }, redis: { commandTimeoutMs: 5000 } });
  replicas.push(slow);
  await redis.cli('client', 'pause', '400', 'WRITE');
  expect((await generic(3, 'slow', 's1', 'hello')).status).toBe(503);
  expect((await generic(1, 'slow', 's1', 'hello')).status).toBe(200);
  expect((await generic(0, 'slow', 's1', 'hello')).status).toBe(200);
  expect(await accepted('default.main.generic.shop.direct.slow')).toBe(1);
});

proves('IN-4', 'a platform is remembered for its retry window, whatever the API grants its own callers', async () => {
  await generic(0, 'remembered', 'r1', 'hello');
  const { keyspace, request } = replica(0).parts.platform;
  const session = 'default.main.generic.shop.direct.remembered' as SessionKey;
  const [id] = (await replica(0).parts.platform.sessions.state(session)).queue;
  const ttl = await request.pttl(keyspace.idempotency(session, id?.id as never));
  expect(ttl).toBeGreaterThan(80_000_000);
  expect(ttl).toBeLessThanOrEqual(86_400_000);
});

proves(
  ['B016', 'IN-5', 'G2'],
  'two callers at once in one session, through two replicas: each gets the answer to its own words, 200 times',
  async () => {
    await redis.cli('flushall');
    await Promise.all(replicas.map((one) => one.close()));
    replicas = await Promise.all([1, 2].map(() => startIngressWorld(redis.url)));
    workers = await startWorkers(redis.url, model);
    const ask = async (index: number, session: number, nonce: string): Promise<unknown> => {
      const options = { token: TOKEN.ann, body: { message: `say ${nonce}` } };
      const { status, body } = await replica(index).call('POST', `/api/sessions/twins-${session}/invoke`, options);
      return [status, body.text, (body.messages as { content: string }[]).map(({ content }) => content)];
    };
    const rounds = async (session: number): Promise<void> => {
      for (let n = session; n < 200; n += 20) {
        const nonces = [`nonce-${n}-a`, `nonce-${n}-b`] as const;
        const answers = await Promise.all(nonces.map((nonce, index) => ask(index, session, nonce)));
        expect(answers).toEqual(nonces.map((nonce) => [200, nonce, [nonce]]));
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, session) => rounds(session)));
  },
);
