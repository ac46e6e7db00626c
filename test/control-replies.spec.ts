import { afterAll, beforeAll, expect } from 'vitest';
import type { OutboxRow } from '#contracts';
import { conversationKey } from '#routing';
import type { TenantId } from '#kernel';
import { startIngressWorld, TELEGRAM_SECRET, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

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

let updates = 100;
/** One update of a private chat, posted as often as Telegram likes. */
async function write(chat: number, text: string, update = ++updates): Promise<number> {
  const message = {
    message_id: update,
    date: 1_790_000_000,
    chat: { id: chat, type: 'private' },
    from: { id: chat, is_bot: false, first_name: 'Ann' },
    text,
  };
  const headers = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET };
  const { status } = await world.call('POST', '/webhooks/telegram/acct1', { body: { update_id: update, message }, headers });
  expect(status).toBe(200);
  return update;
}

/** Rows that wait for the dispatcher in a chat. */
async function replies(chat: number): Promise<OutboxRow[]> {
  const { work, keyspace } = world.parts.platform;
  const target = { channel: 'telegram', account: 'acct1', conversation: String(chat) };
  const rows = await work.lrange(keyspace.deliveries(conversationKey('default' as TenantId, target)), 0, -1);
  return rows.map((text) => (JSON.parse(text) as { row: OutboxRow }).row);
}

proves(['RT-4', 'IN-4'], '/stop in a chat where nothing runs says so, once however often the platform posts it', async () => {
  const update = await write(501, '/stop');
  await write(501, '/stop', update);
  const [row, ...others] = await replies(501);
  expect(others).toEqual([]);
  expect(row).toMatchObject({ mode: 'notice', text: 'Nothing is running.', target: { conversation: '501' } });
  // Redis time: a row without one would be given up as too old.
  expect(Math.abs((row?.at ?? 0) - Date.now())).toBeLessThan(60_000);
});

proves('RT-4', '/stop tells how much it drops of what only waited', async () => {
  await write(502, 'one');
  await write(502, 'two');
  await write(502, '/stop');
  expect((await replies(502)).map(({ text }) => text)).toEqual(['Nothing ran. The 2 messages that waited are dropped.']);
});
