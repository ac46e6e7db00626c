import { createHmac } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import type { SessionKey, TenantId } from '#kernel';
import { conversationKey } from '#routing';
import { run } from '../apps/cli/program.js';
import { sumOf } from './harness/metric-text.js';
import { GENERIC_SECRET, startIngressWorld, TELEGRAM_SECRET, TOKEN, type Answer, type IngressWorld } from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

const KEEPER = 'keeper-token-of-the-ingress-tests';
let redis: RedisServer;
let world: IngressWorld;

beforeAll(async () => {
  redis = await startRedis();
  const tokens = [
    { name: 'ann', token: TOKEN.ann },
    { name: 'keeper', token: KEEPER, pairing: true },
    { name: 'eve', token: TOKEN.eve, tenant: 'acme', pairing: true },
  ];
  world = await startIngressWorld(redis.url, { auth: { tokens }, access: { dmPolicy: 'pairing', bots: 'allow' } });
});
afterAll(async () => {
  await world.close();
  await redis.stop();
});

let updates = 0;
async function knock(id: number, name = `Name ${id}`): Promise<void> {
  const update = ++updates;
  const message = {
    message_id: update,
    date: 1_790_000_000,
    chat: { id, type: 'private' },
    from: { id, is_bot: false, first_name: name },
    text: 'hello?',
  };
  const headers = { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET };
  const { status } = await world.call('POST', '/webhooks/telegram/acct1', { body: { update_id: update, message }, headers });
  expect(status).toBe(200);
}

const list = (token: string, query = ''): Promise<Answer> => world.call('GET', `/api/pairing${query}`, { token });
const approve = (code: string, token = KEEPER, query = ''): Promise<Answer> =>
  world.call('POST', `/api/pairing/approve${query}`, { token, body: { code } });
async function codeOf(sender: string): Promise<string> {
  const { pending } = (await list(KEEPER)).body as { pending: { sender: string; code: string }[] };
  return pending.find((one) => one.sender === sender)?.code ?? '';
}
const isHeard = async (id: number): Promise<boolean> => {
  await knock(id);
  return (await world.parts.platform.sessions.state(`default.main.telegram.acct1.direct.${id}` as SessionKey)).accepted > 0;
};

/** A command line as a shell runs it. */
async function shell(...words: string[]): Promise<{ exit: number; out: string; err: string }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const exit = await run(words, { url: world.url, token: KEEPER, noColor: true }, { stdin, stdout, stderr });
  return { exit, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

proves('IN-8', 'over the API: who waits is listed, approved once or twice, revoked, and a stranger again', async () => {
  expect(await isHeard(11)).toBe(false);
  const { body } = await list(KEEPER);
  expect(body).toMatchObject({
    pending: [{ channel: 'telegram', account: 'acct1', sender: '11', name: 'Name 11' }],
    approved: [],
  });
  const code = await codeOf('11');
  const approved = { channel: 'telegram', account: 'acct1', sender: '11', name: 'Name 11' };
  for (const answer of [await approve(code), await approve(code)]) expect(answer).toMatchObject({ status: 200, body: approved });
  expect(await isHeard(11)).toBe(true);
  expect((await list(TOKEN.admin)).body).toMatchObject({ pending: [], approved: [{ ...approved, by: 'keeper' }] });
  const revoke = (): Promise<Answer> => world.call('DELETE', '/api/pairing/telegram/acct1/11', { token: KEEPER });
  expect([(await revoke()).status, (await revoke()).status]).toEqual([204, 404]);
  await knock(11);
  expect(await codeOf('11')).not.toBe('');
});

proves(['IN-8', 'IN-6', 'TN-1'], 'an ordinary token may not, another tenant may not, and nobody may guess for long', async () => {
  await knock(12);
  const code = await codeOf('12');
  expect((await list(TOKEN.ann)).status).toBe(403);
  expect((await approve(code, TOKEN.ann)).status).toBe(403);
  expect((await list(TOKEN.eve, '?tenant=default')).status).toBe(403);
  expect((await list(TOKEN.eve)).body).toEqual({ pending: [], approved: [] });
  const tries = [];
  for (let n = 0; n < 11; n++) tries.push(await approve(code, TOKEN.eve));
  expect(tries.map(({ status }) => status)).toEqual([...Array.from({ length: 10 }, () => 404), 429]);
  expect(Number(tries.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await approve(code, TOKEN.admin, '?tenant=default')).status).toBe(200);
});

proves(
  ['IN-8', 'OP-5'],
  'on the command line: list, approve and revoke; what strangers call themselves moves no cursor',
  async () => {
    await knock(13, 'Bob\u001b[2J\u202E');
    const code = await codeOf('13');
    const listed = await shell('pairing', 'list');
    expect(listed).toMatchObject({ exit: 0, err: '' });
    expect(listed.out).toMatch(new RegExp(`^  ${code}  13 \\(Bob\\[2J\\) on telegram/acct1  for 60 min more$`, 'm'));
    expect(await shell('pairing', 'approve', code.toLowerCase())).toMatchObject({
      out: 'Approved: 13 (Bob[2J) on telegram/acct1\n',
    });
    expect((await shell('pairing', 'list')).out).toMatch(/^ {2}13 \(Bob\[2J\) on telegram\/acct1 {2}by keeper$/m);
    expect(await shell('pairing', 'revoke', 'telegram', 'acct1', '13')).toMatchObject({ out: 'Revoked: 13 on telegram/acct1\n' });
    const unknown = await shell('pairing', 'approve', 'AAAAAAAA');
    expect(unknown).toMatchObject({ exit: 1, out: '' });
    expect(unknown.err).toContain('Nobody waits with this code.');
  },
);

proves(
  ['B073', 'IN-8'],
  'a bot is heard 20 times, told once that it is enough; a person who speaks lets bots go on',
  async () => {
    const target = { channel: 'generic', account: 'shop', conversation: 'bots' };
    const post = async (n: number, isBot: boolean): Promise<void> => {
      const body = JSON.stringify({
        type: 'message',
        id: `bot-${n}`,
        conversation: { id: 'bots', type: 'group' },
        sender: { id: isBot ? 'b' : 'u', isBot },
        text: 'ping',
      });
      const signature = `sha256=${createHmac('sha256', GENERIC_SECRET).update(body).digest('hex')}`;
      await world.call('POST', '/webhooks/generic/shop', {
        body,
        headers: { 'content-type': 'application/json', 'x-signature-256': signature },
      });
    };
    for (let n = 0; n < 25; n++) await post(n, true);
    await post(20, true);
    const { sessions, keyspace, work } = world.parts.platform;
    expect((await sessions.state('default.main.generic.shop.group.bots' as SessionKey)).accepted).toBe(20);
    const rows = await work.lrange(keyspace.deliveries(conversationKey('default' as TenantId, target)), 0, -1);
    expect(rows.filter((row) => row.includes('between bots'))).toHaveLength(1);
    const row = keyspace.access(`bot-row:${conversationKey('default' as TenantId, target)}`);
    expect(await work.exists(row)).toBe(1);
    await post(100, false);
    expect(await work.exists(row)).toBe(0);
    const ignored = sumOf(await world.parts.metrics.text(), 'turnpike_inbound_ignored_total', {
      channel: 'generic',
      reason: 'bot-loop',
    });
    expect(ignored).toBe(6);
  },
);
