import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { discordFault, startDiscordServer, type DiscordServer } from './fakes/discord-server.js';
import { startModelServer, type ModelServer } from './fakes/model-server.js';
import { Fleet } from './harness/fleet.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const TOKEN = 'a.token-of-the-test';
const APPLICATION = '100000000000000001';
const LONG = `${'word '.repeat(700)}\n\n\`\`\`ts\n${'const a = 1;\n'.repeat(200)}\`\`\`\n\nend of it`;
const PASS = { kind: 'slow', ms: 0 } as const;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

let redis: RedisServer;
let model: ModelServer;
let discord: DiscordServer;
let fleet: Fleet;
let url: string;

beforeAll(async () => {
  // Whatever is the matter with typing must not matter to messages: it is never answered.
  [redis, discord] = await Promise.all([startRedis(), startDiscordServer({ token: TOKEN, typing: { kind: 'stall' } })]);
  model = await startModelServer({
    answer: ({ messages }) => {
      const said = String(messages.at(-1)?.content).split('\n').at(-1);
      if (said === 'hush') return { text: 'NO_REPLY' };
      // Long enough for the runner to show that it is typing.
      return said === 'at length' ? { text: LONG, delayMs: 1_500 } : { text: `done ${said}` };
    },
  });
  const account = {
    applicationId: APPLICATION,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex'),
    botToken: TOKEN,
    apiRoot: discord.url,
  };
  const config = { access: { dmPolicy: 'open', groupPolicy: 'open' }, channels: { discord: { accounts: { guild: account } } } };
  fleet = new Fleet({ redisUrl: redis.url, modelUrl: model.baseUrl, toolUrl: 'http://127.0.0.1:9', config, keepLines: 5000 });
  const [[ingress]] = await Promise.all([fleet.start('ingress'), fleet.start('runner'), fleet.start('dispatcher')]);
  url = `${ingress?.url}/webhooks/discord/guild`;
}, 60_000);
afterAll(async () => {
  await fleet?.close();
  await Promise.all([model?.close(), discord?.close()]);
  await redis?.stop();
});

async function post(body: string, headers: Record<string, string> = signed(body)): Promise<{ status: number; body: string }> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  return { status: response.status, body: await response.text() };
}

/** Headers that are right for these bytes, now. */
function signed(body: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex');
  return { 'x-signature-timestamp': time, 'x-signature-ed25519': signature };
}

let asked = 0;
const user = { id: '200000000000000001', username: 'alex_example' };
const interaction = (channel_id: string, more: object): string =>
  JSON.stringify({
    id: `3${String(++asked).padStart(17, '0')}`,
    application_id: APPLICATION,
    type: 2,
    token: `token-${asked}`,
    channel_id,
    guild_id: '400000000000000001',
    member: { user, roles: [] },
    ...more,
  });
/** Somebody gives the slash command `/ask`, and Discord shows "thinking". */
function ask(channel: string, question: string): string {
  const body = interaction(channel, { data: { name: 'ask', options: [{ name: 'question', type: 3, value: question }] } });
  discord.defer(`token-${asked}`, channel);
  return body;
}
const shownIn = (channel: string): string[] =>
  discord.posts.filter((shown) => shown.channel === channel).map(({ content }) => content);

proves('B045', "Discord's ping is answered, and nothing that is wrongly signed", async () => {
  const ping = JSON.stringify({ id: '1', application_id: APPLICATION, type: 1, token: 't' });
  expect(await post(ping)).toEqual({ status: 200, body: '{"type":1}' });
  expect((await post(ping, { ...signed(ping), 'x-signature-ed25519': '0'.repeat(128) })).status).toBe(401);
  expect((await post(ping, {})).status).toBe(401);
});

proves(['OUT-5', 'IN-4'], 'a slash command is acknowledged with "thinking", whose place its answer takes, once', async () => {
  const command = ask('500000000000000001', 'what is new?');
  expect([await post(command), await post(command)]).toEqual(Array(2).fill({ status: 200, body: '{"type":5}' }));
  await discord.nextMessages('500000000000000001', 1);
  expect(shownIn('500000000000000001')).toEqual(['done what is new?']);
  expect(discord.calls.map(({ method }) => method)).toEqual(['PATCH']);
  const pressed = interaction('500000000000000001', { type: 3, message: { id: '7' }, data: { custom_id: 'the second' } });
  expect(await post(pressed)).toEqual({ status: 200, body: '{"type":6}' });
  expect((await discord.nextMessages('500000000000000001', 1)).map(({ content }) => content)).toEqual(['done the second']);
});

proves(
  ['TU-8', 'OUT-5'],
  'what gets no answer of its own does not go on "thinking": said silently, or together with another',
  async () => {
    const silent = ask('500000000000000008', 'hush');
    const token = `token-${asked}`;
    await post(silent);
    await waitUntil(
      'it thinks no longer',
      () => discord.isDeferred(token),
      (thinks) => !thinks,
    );
    expect(shownIn('500000000000000008')).toEqual([]);
    const [first, second] = [ask('500000000000000009', 'one'), ask('500000000000000009', 'two')];
    const later = `token-${asked}`;
    await Promise.all([post(first), post(second)]);
    await discord.nextMessages('500000000000000009', 1);
    await waitUntil(
      'the other one thinks no longer',
      () => discord.isDeferred(later) && shownIn('500000000000000009').length < 2,
      (thinks) => !thinks,
    );
  },
);

proves(
  'B062',
  'of a long answer each part arrives once and in order, through a limit, an error and the death of a dispatcher',
  async () => {
    const channel = '500000000000000062';
    const before = discord.calls.length;
    discord.fail(
      PASS,
      discordFault.rateLimited(1.2),
      PASS,
      { kind: 'stall' },
      discordFault.error(500, 0, 'Internal Server Error'),
    );
    await post(ask(channel, 'at length'));
    await waitUntil(
      'the third part is on its way',
      () => discord.calls.length - before,
      (calls) => calls >= 4,
    );
    const [dispatcher] = fleet.of('dispatcher');
    if (!dispatcher) throw new Error('no dispatcher');
    fleet.kill(dispatcher);
    await dispatcher.exited;
    await fleet.start('dispatcher');
    const parts = await waitUntil(
      'the end is there',
      () => shownIn(channel),
      (shown) => shown.at(-1)?.includes('end of it') ?? false,
      30_000,
    );
    expect(discord.typing.filter((sign) => sign.channel === channel).length).toBeGreaterThanOrEqual(2);
    expect(parts.length).toBeGreaterThanOrEqual(4);
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(2000);
    const words = parts
      .join('\n')
      .replaceAll(/```(?:ts)?/g, '')
      .split(/\s+/)
      .filter(Boolean);
    expect(words).toEqual(
      LONG.replaceAll(/```(?:ts)?/g, '')
        .split(/\s+/)
        .filter(Boolean),
    );
  },
  { timeout: 60_000 },
);
