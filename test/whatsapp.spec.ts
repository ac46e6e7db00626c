import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Platform } from '#host';
import { messageId, type SessionKey } from '#kernel';
import { lastSaid } from './fakes/last-said.js';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { startWhatsAppServer, type WhatsAppServer } from './fakes/whatsapp-server.js';
import { Fleet } from './harness/fleet.js';
import { openPlatform } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const NUMBER = '200000000000001';
const TOKEN = 'a-token-of-a-system-user';
const SECRET = 'wa-test-app-secret';
const PAIR_MS = 700;

let redis: RedisServer;
let model: ModelServer;
let whatsapp: WhatsAppServer;
let fleet: Fleet;
let platform: Platform;
let url: string;

beforeAll(async () => {
  [redis, whatsapp] = await Promise.all([startRedis(), startWhatsAppServer({ token: TOKEN, number: NUMBER })]);
  model = await startModelServer({ answer: (request) => ({ text: answerTo(lastSaid(request).text) }) });
  const secrets = { accessToken: TOKEN, appSecret: SECRET, verifyToken: 'wa-verify-token-0001' };
  const account = { ...secrets, phoneNumberId: NUMBER, apiRoot: whatsapp.url, rates: { pair: { count: 1, perMs: PAIR_MS } } };
  const config = {
    access: { dmPolicy: 'open' },
    channels: { whatsapp: { accounts: { shop: account } } },
  };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:9', config, keepLines: 5000 });
  const [[ingress]] = await Promise.all([fleet.start('ingress'), fleet.start('runner'), fleet.start('dispatcher')]);
  url = `${ingress?.url}/webhooks/whatsapp/shop`;
  platform = await openPlatform(fleet.configPath);
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await platform?.close();
  await Promise.all([model?.close(), whatsapp?.close()]);
  await redis?.stop();
});

const answerTo = (said: string): string => (said === 'at length' ? 'word '.repeat(1_000) : `done ${said}`);

async function post(body: string): Promise<number> {
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

const notification = (...changes: object[]): string =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: changes.map((value) => ({
      id: '1',
      changes: [{ field: 'messages', value: { metadata: { phone_number_id: NUMBER }, ...value } }],
    })),
  });
const now = (): number => Math.floor(Date.now() / 1000);
const said = (from: string, body: string, at = now()): object => ({
  messages: [{ from, id: `wamid.${from}.${body}`, timestamp: String(at), type: 'text', text: { body } }],
});
const status = (to: string, id: string, key: unknown, state: string, more: object = {}): object => ({
  statuses: [{ id, status: state, timestamp: String(now()), recipient_id: to, biz_opaque_callback_data: key, ...more }],
});
const fixture = (name: string): string => readFileSync(new URL(`./fixtures/whatsapp/${name}.json`, import.meta.url), 'utf8');

const shownTo = (to: string): string[] => whatsapp.posts.filter((shown) => shown.to === to).map(({ text }) => text.trim());
const askedAbout = (text: string): number => model.calls.filter(({ body }) => lastSaid(body).text === text).length;
const idle = () =>
  waitUntil(
    'nothing is busy',
    async () => (await Promise.all([platform.busy.list('turns', 10), platform.busy.list('deliveries', 10)])).flat(),
    (busy) => busy.length === 0,
  );

async function deadLettersTo(conversation: string): Promise<{ reason: string; text: string }[]> {
  const jobs = (await Promise.all(platform.deadLetters.board.map((queue) => queue.getJobs(['waiting'])))).flat();
  const letters = jobs.map(({ data }) => data as { reason: string; row: { text: string; target: { conversation: string } } });
  return letters
    .filter(({ row }) => row.target.conversation === conversation)
    .map(({ reason, row }) => ({ reason, text: row.text }));
}

proves('IN-1', 'Meta checks the address by GET: the challenge as text for the right token, 401 for another', async () => {
  const ask = (token: string) => fetch(`${url}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);
  const right = await ask('wa-verify-token-0001');
  expect([right.status, await right.text()]).toEqual([200, '1158201444']);
  expect((await ask('another')).status).toBe(401);
});

proves(
  ['B029', 'QU-6', 'OUT-5'],
  'a message is answered once, however often it comes, also when all but the session forgot it',
  async () => {
    const body = fixture('text');
    expect([await post(body), await post(fixture('text_duplicate'))]).toEqual([200, 200]);
    expect((await whatsapp.nextMessages('15550100077', 1)).map(({ text }) => text)).toEqual(['done 你好']);
    const wamid = 'wamid.EXAMPLE0000000000000001==';
    await waitUntil(
      'the sign is shown',
      () => whatsapp.typing,
      (typing) => typing.includes(wamid),
    );
    await idle();
    const at = { channel: 'whatsapp', account: 'shop', conversation: '15550100077' };
    const id = messageId({ ...at, kind: 'message', platformId: wamid, edit: 0 });
    const session = 'default.main.whatsapp.shop.direct.15550100077' as SessionKey;
    expect(await platform.work.del(platform.keyspace.idempotency(session, id))).toBe(1);
    expect(await post(body)).toBe(200);
    await idle();
    expect([shownTo('15550100077'), askedAbout('你好')]).toEqual([['done 你好'], 1]);
  },
);

proves('B029', 'every message of a batch is answered; one that is strange loses none of the others', async () => {
  const strange = { messages: [{ id: 1 }, { ...said('3001', 'c') }] };
  expect(await post(notification(said('3001', 'a'), strange, said('3002', 'b'), said('3003', 'd')))).toBe(200);
  const shown = await Promise.all(['3001', '3002', '3003'].map((to) => whatsapp.nextMessages(to, 1)));
  expect(shown.flat().map(({ text }) => text)).toEqual(['done a', 'done b', 'done d']);
});

proves(
  ['B029', 'OUT-1'],
  'statuses start no turn and never go back; a failure is logged, counted, and its row a dead letter, once',
  async () => {
    await post(notification(said('4001', 'hello')));
    const [shown] = await whatsapp.nextMessages('4001', 1);
    const key = whatsapp.calls.find(({ to }) => to === '4001')?.body['biz_opaque_callback_data'];
    const wamid = shown?.wamid ?? '';
    const models = model.calls.length;
    for (const state of ['read', 'sent', 'delivered', 'read'])
      expect(await post(notification(status('4001', wamid, key, state)))).toBe(200);
    const errors = [{ code: 131047, title: 'Re-engagement message', error_data: { details: 'more than 24 hours have passed' } }];
    for (let times = 0; times < 2; times++)
      expect(await post(notification(status('4001', wamid, key, 'failed', { errors })))).toBe(200);
    expect(await post(notification(status('4001', wamid, key, 'read')))).toBe(200);
    expect(await deadLettersTo('4001')).toEqual([{ reason: '131047 more than 24 hours have passed', text: 'done hello' }]);
    const [ingress] = fleet.of('ingress');
    const told = await waitUntil(
      'the failure is logged',
      () => ingress?.lines.filter(({ msg }) => msg === 'Message not delivered') ?? [],
      (lines) => lines.length > 0,
    );
    expect(told).toMatchObject([
      { channel: 'whatsapp', account: 'shop', message: wamid, reason: '131047 more than 24 hours have passed' },
    ]);
    expect(told[0]?.['turnId']).toEqual(expect.stringMatching(/./));
    expect(model.calls.length).toBe(models);
    // What nobody here sent is logged too: there is no row to keep.
    expect([await post(fixture('status_failed')), await post(fixture('statuses_sent_delivered_read'))]).toEqual([200, 200]);
  },
);

proves(
  'OUT-1',
  'who wrote more than 24 hours ago is not written to in vain: a dead letter with the reason, until a new message',
  async () => {
    expect(await post(notification(said('5001', 'late', now() - 25 * 3600)))).toBe(200);
    const letters = await waitUntil(
      'it is given up',
      () => deadLettersTo('5001'),
      (seen) => seen.length > 0,
    );
    expect(letters).toEqual([{ reason: expect.stringMatching(/^131047 .*no template/), text: 'done late' }]);
    expect(whatsapp.calls.filter(({ to }) => to === '5001')).toEqual([]);
    await post(notification(said('5001', 'fresh')));
    expect((await whatsapp.nextMessages('5001', 1)).map(({ text }) => text)).toEqual(['done fresh']);
  },
);

proves('OUT-1', 'the parts of a long answer keep the distance that a pair must have', async () => {
  await post(notification(said('6001', 'at length')));
  await whatsapp.nextMessages('6001', 2);
  const [first = 0, second = 0] = whatsapp.calls.filter(({ to }) => to === '6001').map(({ at }) => at);
  expect(second - first).toBeGreaterThanOrEqual(PAIR_MS);
});
