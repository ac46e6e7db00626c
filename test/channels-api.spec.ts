import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { exampleAccount } from './example-account.js';
import { GENERIC_SECRET, startIngressWorld, TELEGRAM_BOT, TOKEN, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let world: IngressWorld;

beforeAll(async () => {
  redis = await startRedis();
  const webhook = { accounts: { shop: { secret: GENERIC_SECRET, actions: ['edit'], maxTextLength: 500 } } };
  const acme = { channels: { telegram: { accounts: { theirs: { ...TELEGRAM_BOT, botToken: '600009:x' } } } } };
  const config = { channels: { webhook, telegram: { accounts: { acct1: TELEGRAM_BOT } } }, tenants: { acme } };
  world = await startIngressWorld(redis.url, config, [exampleAccount().account]);
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});

const listed = z.object({
  tenant: z.string(),
  channels: z.array(z.looseObject({ channel: z.string(), account: z.string(), capabilities: z.looseObject({}) })),
});
const ask = async (token: string, query = '') => {
  const { status, body } = await world.call('GET', `/api/channels${query}`, { token });
  return { status, text: JSON.stringify(body), listed: status === 200 ? listed.parse(body) : undefined };
};
const names = async (token: string, query?: string) =>
  (await ask(token, query)).listed?.channels.map(({ channel, account }) => `${channel}/${account}`);

proves(['OUT-2', 'TN-1'], 'each tenant sees its own accounts, the web chat, and no secret', async () => {
  expect(await names(TOKEN.ann)).toEqual(['telegram/acct1', 'generic/shop', 'webchat/default', 'example/one']);
  expect(await names(TOKEN.eve)).toEqual(['telegram/theirs', 'webchat/default']);
  expect(await names(TOKEN.admin, '?tenant=acme')).toEqual(['telegram/theirs', 'webchat/default']);
  expect((await ask(TOKEN.ann, '?tenant=acme')).status).toBe(403);
  expect((await world.call('GET', '/api/channels')).status).toBe(401);
  const { text } = await ask(TOKEN.admin);
  expect(text).not.toContain(GENERIC_SECRET);
  expect(text).not.toContain('600001');
});

proves('OUT-2', 'an account says what it can as it is configured', async () => {
  const { listed: all } = await ask(TOKEN.ann);
  const of = (channel: string) => all?.channels.find((one) => one.channel === channel);
  expect(of('generic')).toMatchObject({
    title: 'Generic webhook',
    webhook: '/webhooks/generic/shop',
    capabilities: { edit: true, delete: false, media: [], maxTextLength: 500 },
  });
  expect(of('webchat')).toMatchObject({ capabilities: { edit: true, delete: true, react: true, stream: 'native' } });
  expect(of('webchat')).not.toHaveProperty('webhook');
});
