import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { envelopeSchema, type Envelope } from '#contracts';
import type { SessionKey } from '#kernel';
import { exampleAccount } from './example-account.js';
import { fixturesOf } from './fixtures-of.js';
import { startTelegramServer, type TelegramServer } from './fakes/telegram-server.js';
import { sumOf } from './harness/metric-text.js';
import { waitUntil } from './harness/wait-until.js';
import {
  GENERIC_SECRET,
  startIngressWorld,
  TELEGRAM_BOT,
  TELEGRAM_SECRET,
  type Answer,
  type IngressWorld,
} from './ingress-world.js';
import { proves } from './proves.js';
import { startRedis, type RedisServer } from './redis-server.js';

let redis: RedisServer;
let world: IngressWorld;
let bot: TelegramServer;
const example = exampleAccount();

beforeAll(async () => {
  redis = await startRedis();
  bot = await startTelegramServer();
  const acct1 = { ...TELEGRAM_BOT, apiRoot: bot.url };
  const webhook = { accounts: { shop: { secret: GENERIC_SECRET } } };
  const channels = { webhook, telegram: { accounts: { acct1, acct2: TELEGRAM_BOT } } };
  world = await startIngressWorld(redis.url, { channels }, [example.account]);
});
afterAll(async () => {
  await world.close();
  await bot.close();
  await redis.stop();
});

const post = (path: string, body: Uint8Array | string, headers: Record<string, string>): Promise<Answer> =>
  world.call('POST', `/webhooks/${path}`, { body, headers: { 'content-type': 'application/json', ...headers } });

const telegram = (update: object, account = 'acct1'): Promise<Answer> =>
  post(`telegram/${account}`, JSON.stringify(update), { 'x-telegram-bot-api-secret-token': TELEGRAM_SECRET });

const signed = (body: Uint8Array | string) => ({
  'x-signature-256': `sha256=${createHmac('sha256', GENERIC_SECRET).update(body).digest('hex')}`,
});
const generic = (body: Uint8Array | string, headers: Record<string, string> = {}): Promise<Answer> =>
  post('generic/shop', body, { ...signed(body), ...headers });

/** Everything that waits in the mailbox of a session, oldest first. */
async function mail(session: string): Promise<Envelope[]> {
  const jobs = await world.parts.platform.busy.mailboxQueue(session as SessionKey).getJobs(['waiting'], 0, -1, true);
  return jobs.map(({ data }) => envelopeSchema.parse(data));
}

const metric = async (outcome: string): Promise<number> => {
  return sumOf(await world.parts.metrics.text(), 'turnpike_inbound_messages_total', { outcome });
};

describe('Telegram fixtures', () => {
  for (const { name, body, headers, expected } of fixturesOf('telegram')) {
    const starts = expected.kind === 'edit' || expected.startsTurn;
    proves(
      ['IN-1', 'IN-2', 'IN-3', 'IN-4'],
      `telegram/${name}: ${starts ? 'stored once, however often it is posted' : 'acknowledged, nothing to see for an agent'}`,
      async () => {
        const thread = expected.threadId === null ? '' : `.${expected.threadId}`;
        const session = `default.main.telegram.acct1.${expected.chatType}.${expected.chatId}${thread}`;
        const stored = async () =>
          (await mail(session)).filter(({ platform }) => expected.dedupeKey.endsWith(`:${platform.eventId}`));
        const answers = [await post('telegram/acct1', body, headers), await post('telegram/acct1', body, headers)];
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        if (expected.kind === 'callback') expect(answers[0]?.body).toMatchObject({ method: 'answerCallbackQuery' });
        const envelopes = await stored();
        expect(envelopes).toHaveLength(starts ? 1 : 0);
        if (starts)
          expect(envelopes[0]).toMatchObject({
            text: expected.text ?? '',
            kind: expected.kind === 'edit' ? 'record' : 'message',
            tenant: 'default',
            watched: false,
            sender: { id: expected.senderId },
          });
      },
    );
  }

  proves(['IN-4', 'T7'], 'message 12 in two chats, and one update at two bots, are four messages', async () => {
    const update = (update_id: number, chat: number) => ({
      update_id,
      message: {
        message_id: 12,
        date: 1764547200,
        chat: { id: chat, type: 'private' },
        from: { id: chat, is_bot: false, first_name: 'A' },
        text: 'hi',
      },
    });
    for (const [id, chat] of [
      [1, 801],
      [2, 802],
    ] as const)
      for (const account of ['acct1', 'acct2']) await telegram(update(id, chat), account);
    const counts = await Promise.all(
      [801, 802].flatMap((chat) =>
        ['acct1', 'acct2'].map(async (account) => (await mail(`default.main.telegram.${account}.direct.${chat}`)).length),
      ),
    );
    expect(counts).toEqual([1, 1, 1, 1]);
  });

  proves('QU-6', 'the chat shows at accept that an answer is being made, for a message and not for its duplicate', async () => {
    const update = (update_id: number) => ({
      update_id,
      message: {
        message_id: update_id,
        date: 1764547200,
        chat: { id: 804, type: 'private' },
        from: { id: 804, is_bot: false, first_name: 'A' },
        text: 'hi',
      },
    });
    const shown = () => bot.actions.filter(({ chatId }) => chatId === '804').length;
    for (const id of [21, 21, 22]) await telegram(update(id));
    await waitUntil('both are shown', shown, (count) => count >= 2);
    expect(shown()).toBe(2);
  });

  proves(['RT-4', 'IN-4'], '/stop in a chat is obeyed, not enqueued', async () => {
    const update = (update_id: number, text: string) => ({
      update_id,
      message: {
        message_id: update_id,
        date: 1764547200,
        chat: { id: 803, type: 'private' },
        from: { id: 803, is_bot: false, first_name: 'A' },
        text,
      },
    });
    const session = 'default.main.telegram.acct1.direct.803' as SessionKey;
    await telegram(update(11, 'long work'));
    expect((await telegram(update(12, '/stop@example_bot'))).status).toBe(200);
    expect((await mail(session)).map(({ text }) => text)).toEqual(['long work']);
    expect(await world.parts.platform.sessions.state(session)).toMatchObject({ accepted: 1, waiting: 0 });
  });
});

describe('what is refused', () => {
  const text = fixturesOf('telegram').find(({ name }) => name === 'text_private');
  if (!text) throw new Error('the fixture is gone');

  proves('IN-1', 'a wrong or missing secret is 401, whatever the body', async () => {
    const proofs: Record<string, string>[] = [{}, { 'x-telegram-bot-api-secret-token': 'wrong' }];
    for (const headers of proofs) {
      for (const body of [text.body, 'no json', '']) {
        expect(await post('telegram/acct1', body, headers)).toMatchObject({
          status: 401,
          body: { type: 'urn:turnpike:problem:not-verified' },
        });
      }
    }
  });

  proves('IN-1', 'an unknown channel or account is 404, verified or not', async () => {
    for (const path of ['telegram/nobody', 'telegrams/acct1', 'webchat/default', 'telegram/__proto__']) {
      expect(await post(path, text.body, text.headers)).toMatchObject({
        status: 404,
        body: { type: 'urn:turnpike:problem:no-such-account' },
      });
    }
  });

  proves('IN-1', 'a verified body that is not of the platform is 400', async () => {
    for (const body of ['no json', '[]', '{"update_id":"x"}', ''])
      expect((await post('telegram/acct1', body, text.headers)).status).toBe(400);
  });

  proves('IN-6', 'a body over the limit is 413 before anything reads it', async () => {
    const body = Buffer.alloc(1_258_291, 0x20);
    expect((await generic(body)).status).toBe(413);
  });
});

describe('signatures over raw bytes', () => {
  const message = (id: string) =>
    `{"sender":{"id":"u1"}, "text":"caf\\u00e9 é 😀","conversation":{"type":"direct","id":"c-${id}"},"type":"message","id":"${id}"`;
  const bodies: [what: string, body: string, headers?: Record<string, string>][] = [
    ['escapes beside the characters themselves, and a 4-byte emoji', `${message('b1')}}`],
    ['a trailing newline', `${message('b2')}}\n`],
    ['a number written as 1.0', `${message('b3')},"weight":1.0}`],
    ['a key that comes twice', `${message('b4')},"id":"b4"}`],
    ['a charset in the content type', `${message('b5')}}`, { 'content-type': 'application/json; charset=utf-8' }],
    ['no JSON content type', `${message('b6')}}`, { 'content-type': 'text/plain' }],
  ];
  for (const [what, body, headers] of bodies) {
    proves(['B078', 'IN-1'], `${what}: accepted as sent, refused with one byte changed`, async () => {
      const id = /"id":"(b\d)"/.exec(body)?.[1] ?? '';
      const changed = Buffer.from(body);
      changed[2] = (changed[2] ?? 0) ^ 1;
      expect((await post('generic/shop', changed, { ...signed(body), ...headers })).status).toBe(401);
      expect((await generic(body, headers)).status).toBe(200);
      expect((await mail(`default.main.generic.shop.direct.c-${id}`)).map((envelope) => envelope.text)).toEqual(['café é 😀']);
    });
  }

  proves(['B078', 'IN-1'], 'a compressed body is verified as sent, then unpacked within the limit', async () => {
    const packed = gzipSync(`${message('b7')}}`);
    expect((await generic(packed, { 'content-encoding': 'gzip' })).status).toBe(200);
    expect(await mail('default.main.generic.shop.direct.c-b7')).toHaveLength(1);
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    expect([
      (await generic(bomb, { 'content-encoding': 'gzip' })).status,
      (await generic('no gzip', { 'content-encoding': 'gzip' })).status,
      (await generic(packed, { 'content-encoding': 'br' })).status,
    ]).toEqual([413, 400, 415]);
  });
});

describe('questions of the protocol', () => {
  const get = (path: string): Promise<Answer> => world.call('GET', `/webhooks/${path}`);

  proves('IN-1', 'a verified GET is answered with what the channel says, as plain text', async () => {
    const answer = await get('example/one?token=right&challenge=%3Cb%3E42');
    expect(answer).toMatchObject({ status: 200, body: { text: '<b>42' } });
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get('example/one?token=wrong&challenge=42')).status).toBe(401);
    expect((await get('example/one?token=right&token=right&challenge=42')).status).toBe(401);
  });

  proves('IN-1', 'a GET that asks nothing, and one where events are only posted, is 405', async () => {
    for (const path of ['example/one?token=right', 'telegram/acct1']) {
      const answer = await get(path);
      expect(answer).toMatchObject({ status: 405, body: { type: 'urn:turnpike:problem:post-only' } });
      expect(answer.headers.get('allow')).toBe('POST');
    }
    expect((await get('telegram/nobody')).status).toBe(404);
  });

  proves(
    'IN-1',
    'a form comes to the channel as the bytes that were sent; its question is answered in JSON and no event',
    async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = 'challenge=a+b%26c&x=%E6%B1%89';
      const before = await metric('ignored');
      expect(await post('example/one?token=right', body, form)).toMatchObject({ status: 200, body: { challenge: 'a b&c' } });
      expect(example.asked.at(-1)).toMatchObject({ method: 'POST', body: Buffer.from(body), headers: form });
      expect(await metric('ignored')).toBe(before);
      expect((await post('example/one?token=right', 'payload=x', form)).status).toBe(200);
      expect(await metric('ignored')).toBe(before + 1);
    },
  );
});

proves('OP-4', 'webhooks are counted by outcome and timed', async () => {
  const before = await Promise.all(['accepted', 'duplicate', 'ignored', 'refused'].map(metric));
  const body = JSON.stringify({
    type: 'message',
    id: 'm1',
    conversation: { id: 'c9', type: 'direct' },
    sender: { id: 'u' },
    text: 'x',
  });
  await generic(body);
  await generic(body);
  await generic('{"type":"typing"}');
  await post('generic/shop', body, { 'x-signature-256': 'sha256=00' });
  const after = await Promise.all(['accepted', 'duplicate', 'ignored', 'refused'].map(metric));
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1, 1]);
  expect(
    sumOf(await world.parts.metrics.text(), 'turnpike_webhook_duration_seconds_count', { channel: 'generic' }),
  ).toBeGreaterThan(0);
});
