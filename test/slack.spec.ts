import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { startModelServer, type ModelScript, type ModelServer, type ModelServerRequest } from './fakes/model-server.js';
import { startSlackServer, type SlackServer } from './fakes/slack-server.js';
import { Fleet } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TOKEN = 'xoxb-1-token-of-the-test';
const SECRET = '0123456789abcdef0123456789abcdef';
const SLOW_MS = 4000;

let redis: RedisServer;
let model: ModelServer;
let slack: SlackServer;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
  [redis, slack] = await Promise.all([startRedis(), startSlackServer({ token: TOKEN })]);
  model = await startModelServer({ answer });
  const config = {
    access: { dmPolicy: 'open', groupPolicy: 'open' },
    channels: { slack: { accounts: { team: { botToken: TOKEN, signingSecret: SECRET, apiRoot: slack.url } } } },
  };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:9', config, keepLines: 5000 });
  const [[ingress]] = await Promise.all([fleet.start('ingress'), fleet.start('runner'), fleet.start('dispatcher')]);
  url = `${ingress?.url}/webhooks/slack/team`;
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await Promise.all([model?.close(), slack?.close()]);
  await redis?.stop();
});

function answer({ messages }: ModelServerRequest): ModelScript {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const said = String(messages[last]?.content).split('\n').at(-1) ?? '';
  const isFirst = messages.slice(last).every(({ role }) => role !== 'assistant');
  if (said === 'look at this' && isFirst) return { toolCalls: [{ name: 'message', arguments: { content: 'looking' } }] };
  return { text: `done ${said}`, ...((said === 'slow' || said === 'look at this') && { delayMs: SLOW_MS }) };
}

const askedAbout = (said: string): number =>
  model.calls.filter(({ body }) => String(body.messages.at(-1)?.content).split('\n').at(-1) === said).length;

interface Posted {
  status: number;
  body: string;
  ms: number;
}

async function post(body: string, headers: Record<string, string> = {}): Promise<Posted> {
  const started = performance.now();
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  return { status: response.status, body: await response.text(), ms: performance.now() - started };
}

/** Headers that are right for these bytes at this time, s since the epoch. */
function signed(body: string, time: number | string = Math.floor(Date.now() / 1000)): Record<string, string> {
  const signature = createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(time), 'x-slack-signature': `v0=${signature}` };
}

let posts = 0;
const nextTs = (): string => `${Math.floor(Date.now() / 1000)}.${String(++posts).padStart(6, '0')}`;

function event(event_id: string, more: object): string {
  return JSON.stringify({
    type: 'event_callback',
    team_id: 'T0EXAMPLE',
    api_app_id: 'A0EXAMPLE',
    event_id,
    authorizations: [{ user_id: 'U0BOT', is_bot: true }],
    event: { type: 'message', channel: 'D0EXAMPLE', channel_type: 'im', user: 'U0ALEX', ts: nextTs(), ...more },
  });
}

const deliver = (body: string, headers: Record<string, string> = {}): Promise<Posted> =>
  post(body, { ...signed(body), ...headers });
const shownIn = (channel: string): string[] => slack.posts.filter((shown) => shown.channel === channel).map(({ text }) => text);

proves('B045', 'only what is signed, and just now, is taken; the question for the address too', async () => {
  const body = event('Ev045', { channel: 'D0FORGED', text: 'forged' });
  const now = Math.floor(Date.now() / 1000);
  const refused = [
    await post(body),
    await post(body, { ...signed(body), 'x-slack-signature': `v0=${'0'.repeat(64)}` }),
    await post(body, signed(body, now - 360)),
    await post(body, signed(body, now + 360)),
    await post(body, signed(body, 'NaN')),
    await post(body.replace('forged', 'forgot'), signed(body)),
  ];
  expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
  const question = JSON.stringify({ type: 'url_verification', challenge: 'a-challenge' });
  expect((await post(question)).status).toBe(401);
  expect(await deliver(question)).toMatchObject({ status: 200, body: '{"challenge":"a-challenge"}' });
  expect((await post('x'.repeat(1_100_000))).status).toBe(413);
  expect(await deliver(event('Ev045', { channel: 'D0FORGED', text: 'genuine' }))).toMatchObject({ status: 200 });
  expect((await slack.nextMessages('D0FORGED', 1)).map(({ text }) => text)).toEqual(['done genuine']);
  expect([askedAbout('forged'), askedAbout('forgot')]).toEqual([0, 0]);
});

proves(
  ['B021', 'IN-3', 'OUT-5'],
  'an event is acknowledged at once, and is one turn however often it comes; a first copy that was lost does not matter',
  async () => {
    const slow = event('Ev021', { channel: 'D0SLOW', text: 'slow' });
    const copies = [await deliver(slow)];
    for (const retry of ['1', '2', '3'])
      copies.push(await deliver(slow, { 'x-slack-retry-num': retry, 'x-slack-retry-reason': 'http_timeout' }));
    expect(copies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { ms } of copies) expect(ms).toBeLessThan(3000);
    expect(shownIn('D0SLOW')).toEqual([]);
    expect((await deliver(event('Ev022', { channel: 'D0LOST', text: 'lost' }), { 'x-slack-retry-num': '1' })).status).toBe(200);
    expect((await slack.nextMessages('D0LOST', 1)).map(({ text }) => text)).toEqual(['done lost']);
    expect((await slack.nextMessages('D0SLOW', 1)).map(({ text }) => text)).toEqual(['done slow']);
    expect((await deliver(slow, { 'x-slack-retry-num': '3' })).status).toBe(200);
    // A second turn would stand before this one.
    expect((await deliver(event('Ev023', { channel: 'D0SLOW', text: 'behind it' }))).status).toBe(200);
    await slack.nextMessages('D0SLOW', 1);
    expect([askedAbout('slow'), shownIn('D0SLOW')]).toEqual([1, ['done slow', 'done behind it']]);
  },
);

proves(
  ['B049', 'G4'],
  'a mention in a thread, which comes as two events, is answered in that thread by all sends, also by another runner',
  async () => {
    const mention = { channel: 'C0THREAD', text: '<@U0BOT> look at this', ts: nextTs(), thread_ts: '1764547000.000100' };
    await deliver(event('Ev049a', { ...mention, type: 'app_mention', channel_type: undefined }));
    await deliver(event('Ev049b', { ...mention, channel_type: 'channel' }));
    await slack.nextMessages('C0THREAD', 1);
    const [runner] = fleet.of('runner');
    if (!runner) throw new Error('no runner');
    await waitUntil(
      'the model is asked what follows',
      () => model.calls.filter(({ body }) => body.messages.at(-1)?.role === 'tool').length,
      (asked) => asked > 0,
    );
    fleet.kill(runner);
    await runner.exited;
    await fleet.start('runner');
    await slack.nextMessages('C0THREAD', 1);
    const sent = slack.calls.filter(({ args }) => args['channel'] === 'C0THREAD');
    expect(sent.map(({ method, args }) => [method, args['thread_ts'], args['text']])).toEqual([
      ['chat.postMessage', '1764547000.000100', 'looking'],
      ['chat.postMessage', '1764547000.000100', 'done look at this'],
    ]);
  },
  { timeout: 60_000 },
);

proves('OUT-5', 'a button that is pressed and a slash command come as forms, and are answered', async () => {
  const send = (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields).toString();
    return post(body, { ...signed(body), 'content-type': 'application/x-www-form-urlencoded' });
  };
  const action = { type: 'button', action_id: 'turnpike:0', value: 'the second', action_ts: nextTs() };
  const payload = { type: 'block_actions', user: { id: 'U0ALEX' }, channel: { id: 'D0FORM' }, actions: [action] };
  expect((await send({ payload: JSON.stringify(payload) })).status).toBe(200);
  expect((await slack.nextMessages('D0FORM', 1)).map(({ text }) => text)).toEqual(['done the second']);
  const command = { command: '/turnpike', user_id: 'U0ALEX', channel_id: 'D0FORM', trigger_id: '1.2.abc' };
  expect((await send({ ...command, text: '/whoami' })).status).toBe(200);
  expect((await slack.nextMessages('D0FORM', 1)).map(({ text }) => text).join()).toContain('U0ALEX');
});
