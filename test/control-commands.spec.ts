import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiSessionKey, commandNames, specOf } from '#routing';
import type { AgentId, SessionKey, TenantId } from '#kernel';
import { startIngressWorld, TELEGRAM_SECRET, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let world: IngressWorld;
/** Another replica. */
let other: IngressWorld;
beforeAll(async () => {
  redis = await startRedis();
  world = await startIngressWorld(redis.url);
  other = await startIngressWorld(redis.url);
});
afterAll(async () => {
  await Promise.all([world.close(), other.close()]);
  await redis.stop();
});

const send = (session: string, message: string, { at = world, key = '' } = {}): Promise<Answer> =>
  at.call('POST', `/api/sessions/${session}/messages`, {
    token: TOKEN.ann,
    body: { message },
    headers: key ? { 'idempotency-key': key } : {},
  });
const keyOf = (name: string): SessionKey => apiSessionKey('default' as TenantId, 'main' as AgentId, name);

proves(['RT-4', 'QU-6'], '/status on another replica shows model, usage, queue mode, depth, position and ages', async () => {
  for (const text of ['one', 'two']) await send('status', text);
  const { status, body } = await send('status', '/status', { at: other });
  expect(status).toBe(200);
  expect(body).toMatchObject({ command: 'status', accepted: 2, waiting: 2, queueMode: 'followup', model: 'scripted/demo' });
  expect(body.reply).toMatch(/^Agent main, model scripted\/demo$/m);
  expect(body.reply).toMatch(/^Tokens of this session: 0 in, 0 out$/m);
  expect(body.reply).toMatch(/^Queue: followup, 2 waiting, the oldest for \d+ s; a new message is number 3$/m);
  expect(body.reply).toMatch(/^Running: nothing$/m);
});

proves('RT-4', 'settings set by command show in /status, and what is no choice is explained', async () => {
  expect((await send('set', '/queue steer')).body).toMatchObject({ queueMode: 'steer' });
  await send('set', '/verbose: on');
  await send('set', '/send off');
  expect((await send('set', '/status')).body.settings).toEqual({ queueMode: 'steer', verbose: true, send: false });
  expect((await send('set', '/queue sideways')).body.reply).toMatch(/^\/queue \[/);
  expect((await send('set', '/queue reset')).body.queueMode).toBe('followup');
  await send('set', '/verbose off');
  await send('set', '/send on');
  expect((await send('set', '/status')).body.settings).toEqual({});
});

proves(['RT-4', 'IN-4'], 'a command that comes again after a later one changes nothing back', async () => {
  await send('twice', '/verbose on', { key: 'first' });
  await send('twice', '/verbose off');
  expect((await send('twice', '/verbose on', { key: 'first', at: other })).body.reply).toMatch(/not shown/);
});

test('RT-4 every control command answers, and stores nothing', async () => {
  for (const name of commandNames().filter((each) => specOf(each).kind === 'control')) {
    const { status, body } = await send('each', `/${name}`);
    expect([name, status, body.command, typeof body.reply]).toEqual([name, 200, name, 'string']);
  }
  expect((await world.parts.platform.sessions.state(keyOf('each'))).accepted).toBe(0);
});

test('RT-4 /reasoning is off until it is asked for, and kept with the session', async () => {
  expect((await send('reason', '/reasoning')).body.reply).toBe('What the model thinks is not shown.');
  expect((await send('reason', '/reasoning on')).body.reply).toBe('What the model thinks is shown, where it says so.');
  expect((await send('reason', '/reasoning')).body.reply).toBe('What the model thinks is shown, where it says so.');
});

test('RT-4 /steer gives its text to the session; an unknown command and a sentence are messages', async () => {
  const stored = async () => {
    const jobs = await world.parts.platform.busy.mailboxQueue(keyOf('steer')).getJobs(['waiting'], 0, -1, true);
    return jobs.map(({ data }) => (data as { text: string }).text);
  };
  expect(await send('steer', '/steer turn left')).toMatchObject({ status: 202, body: { sequence: 1 } });
  await send('steer', '/unheard of');
  await send('steer', '/status of my order?');
  expect(await stored()).toEqual(['turn left', '/unheard of', '/status of my order?']);
});

let updates = 900;
async function writeInGroup(text: string): Promise<void> {
  const update = ++updates;
  const message = {
    message_id: update,
    date: 1_790_000_000,
    chat: { id: -77, type: 'group', title: 'Team' },
    from: { id: 5, is_bot: false, first_name: 'Bob' },
    text,
    entities: [{ type: 'bot_command', offset: 0, length: text.split(' ')[0]?.length }],
  };
  const headers = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET };
  await world.call('POST', '/webhooks/telegram/acct1', { body: { update_id: update, message }, headers });
}

proves('RT-4', 'in a group a command for owners does nothing, and one that names another bot is not ours', async () => {
  const session = 'default.main.telegram.acct1.group.-77' as SessionKey;
  const settings = () => world.parts.platform.sessions.settings(session);
  await writeInGroup('/send@example_bot off');
  await writeInGroup('/verbose@another_bot on');
  expect(await settings()).toEqual({});
  await writeInGroup('/verbose@example_bot on');
  expect(await settings()).toEqual({ verbose: true });
});
