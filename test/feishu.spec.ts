import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startFeishuServer, type FeishuServer } from './fakes/feishu-server.js';
import { lastSaid } from './fakes/last-said.js';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const APP = { appId: 'cli_example0001', appSecret: 'feishu-app-secret' };
const ENCRYPT_KEY = 'feishu-test-encrypt-key';
const VERIFICATION_TOKEN = 'feishu-verify-token-0001';

let redis: RedisServer;
let model: ModelServer;
let feishu: FeishuServer;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
  [redis, feishu] = await Promise.all([startRedis(), startFeishuServer(APP)]);
  model = await startModelServer({ answer: (request) => ({ text: `done ${lastSaid(request).text}` }) });
  const account = {
    ...APP,
    verificationToken: VERIFICATION_TOKEN,
    encryptKey: ENCRYPT_KEY,
    botOpenId: 'ou_bot',
    apiRoot: feishu.url,
  };
  const config = { access: { dmPolicy: 'open', groupPolicy: 'open' }, channels: { feishu: { accounts: { desk: account } } } };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:9', config });
  const [[ingress]] = await Promise.all([fleet.start('ingress'), fleet.start('runner'), fleet.start('dispatcher')]);
  url = `${ingress?.url}/webhooks/feishu/desk`;
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await Promise.all([model?.close(), feishu?.close()]);
  await redis?.stop();
});

/** As Feishu does with an Encrypt Key: sealed, and all but the first question signed. */
async function post(event: object, signed = true): Promise<{ status: number; text: string }> {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(ENCRYPT_KEY).digest(), iv);
  const encrypt = Buffer.concat([iv, cipher.update(JSON.stringify(event)), cipher.final()]).toString('base64');
  const body = JSON.stringify({ encrypt });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHash('sha256').update(`${timestamp}n${ENCRYPT_KEY}${body}`).digest('hex');
  const proof = { 'x-lark-request-timestamp': timestamp, 'x-lark-request-nonce': 'n', 'x-lark-signature': signature };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signed && proof) },
    body,
  });
  return { status: response.status, text: await response.text() };
}

let events = 0;
const event = (type: string, content: object): object => ({
  schema: '2.0',
  header: {
    event_id: `f${++events}`,
    event_type: type,
    create_time: String(Date.now()),
    token: VERIFICATION_TOKEN,
    app_id: APP.appId,
  },
  event: content,
});
const said = (id: string, chat: string, text: string, more: object = {}): object =>
  event('im.message.receive_v1', {
    sender: { sender_id: { open_id: 'ou_example1' }, sender_type: 'user' },
    message: {
      message_id: id,
      create_time: String(Date.now()),
      chat_id: chat,
      chat_type: 'p2p',
      message_type: 'text',
      content: JSON.stringify({ text }),
      ...more,
    },
  });

proves('IN-1', 'the sealed challenge is answered within the same request; what is unsigned otherwise is 401', async () => {
  const asked = { type: 'url_verification', challenge: 'c-0001', token: VERIFICATION_TOKEN };
  const answer = await post(asked, false);
  expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { challenge: 'c-0001' }]);
  expect((await post(said('om_0', 'oc_0', 'unsigned'), false)).status).toBe(401);
});

proves(
  ['OUT-5', 'IN-4', 'G5'],
  'a message that comes twice, under two event ids, is answered once, also when the answer to the send was lost',
  async () => {
    feishu.fail({ kind: 'reset' });
    const twice = await Promise.all([post(said('om_1', 'oc_p2p', 'hello')), post(said('om_1', 'oc_p2p', 'hello'))]);
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    await feishu.nextMessages('oc_p2p', 1);
    await waitUntil(
      'the send is made again',
      () => feishu.calls.filter(({ body }) => body['receive_id'] === 'oc_p2p'),
      (calls) => calls.length === 2,
    );
    expect(feishu.posts.filter(({ chat }) => chat === 'oc_p2p').map(({ text }) => text)).toEqual(['done hello']);
  },
);

proves(
  ['OUT-2', 'T4'],
  'what is said in a topic of a group, to the bot, is answered in that topic; what is said to others is not',
  async () => {
    feishu.topics.set('omt_1', 'om_root1');
    const mentions = [{ key: '@_user_1', id: { open_id: 'ou_bot' }, name: 'Bot' }];
    const place = { chat_type: 'group', thread_id: 'omt_1', root_id: 'om_root1', parent_id: 'om_root1' };
    await post(said('om_2', 'oc_grp', 'among us', place));
    await post(said('om_3', 'oc_grp', '@_user_1 progress?', { ...place, mentions }));
    const [shown] = await waitUntil(
      'it is answered',
      () => feishu.posts.filter(({ inThread }) => inThread),
      (posts) => posts.length > 0,
    );
    expect(shown).toMatchObject({ repliesTo: 'om_root1', inThread: true });
    expect(shown?.text).toContain('progress?');
  },
);

proves(
  ['TU-7', 'IN-3'],
  'a pressed button is said in the chat where the card stands, and acknowledged with an object',
  async () => {
    const pressed = event('card.action.trigger', {
      operator: { open_id: 'ou_example1' },
      action: { tag: 'button', value: { turnpike: { data: 'the second one', direct: true } } },
      context: { open_message_id: 'om_out1', open_chat_id: 'oc_p2p' },
    });
    const answer = await post(pressed);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, {}]);
    expect((await feishu.nextMessages('oc_p2p', 1)).map(({ text }) => text)).toEqual(['done the second one']);
  },
);
