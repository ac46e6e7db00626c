import { afterAll, beforeAll, expect } from 'vitest';
import { messageId, outboxRowId, turnIdOf } from '#kernel';
import { ChatWorld, posted, send, telegramChat } from './chat-world.js';
import { fixturesOf } from './fixtures-of.js';
import { sessionOf } from './harness/mail.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

const SECRET = 'a-telegram-secret-token';
const LONG = 'word '.repeat(1500).trim();

let world: ChatWorld;
let ingress: string;

beforeAll(async () => {
  const access = { dmPolicy: 'open', groupPolicy: 'open', requireMention: false };
  world = await ChatWorld.start({ config: { access } });
  const [member] = await world.fleet.start('ingress', 1);
  ingress = member?.url ?? '';
}, 90_000);
afterAll(() => world?.close());

async function post(update: object, secret = SECRET): Promise<number> {
  const headers = { 'content-type': 'application/json', ...(secret && { 'x-telegram-bot-api-secret-token': secret }) };
  const { status } = await fetch(`${ingress}/webhooks/telegram/one`, { method: 'POST', headers, body: JSON.stringify(update) });
  return status;
}

const callsTo = (chatId: string) => world.telegram.calls.filter((call) => call.chatId === chatId);

const fixtureOf = (wanted: string) => {
  const fixture = fixturesOf('telegram').find(({ name }) => name === wanted);
  return JSON.parse(fixture?.body.toString('utf8') ?? '');
};

proves(['B041', 'IN-1'], 'without the secret, or with another, nothing is taken; with it, the message is answered', async () => {
  const { message } = fixtureOf('text_private');
  const chat = String(message.chat.id);
  const forged = { ...message, text: 'forged' };
  expect(await post({ update_id: 41, message: forged }, '')).toBe(401);
  expect(await post({ update_id: 41, message: forged }, 'a-telegram-secret-tokem')).toBe(401);
  // What was taken before it would be answered before it.
  expect(await post({ update_id: 41, message: { ...message, text: 'genuine' } })).toBe(200);
  await waitUntil(
    'the message is answered',
    () => posted(world.telegram, chat),
    (texts) => texts.length > 0,
  );
  expect(posted(world.telegram, chat)).toEqual(['done genuine']);
  expect(world.model.calls.filter(({ body }) => JSON.stringify(body).includes('forged'))).toEqual([]);
});

proves('B035', 'what is sent in a turn, its answer and each of its chunks stay in the topic of the message', async () => {
  const forum = fixtureOf('forum_topic_message');
  const inTopic = { message_id: 9, message_thread_id: 77, is_topic_message: true, date: 1764547200 };
  const alex = { id: 700009, is_bot: false, first_name: 'Alex' };
  const direct = { ...inTopic, text: 'in a private topic', from: alex, chat: { id: 700009, type: 'private' } };
  world.script(forum.message.text, [{ toolCalls: [send('working on it')] }, { text: LONG }]);
  world.script(direct.text, [{ toolCalls: [send('working on it')] }, { text: LONG }]);
  expect([await post(forum), await post({ update_id: 911, message: direct })]).toEqual([200, 200]);
  for (const [chat, topic] of [
    ['-1002000000001', 55],
    ['700009', 77],
  ] as const) {
    await waitUntil(
      `all is sent to ${chat}`,
      () => posted(world.telegram, chat).join(' '),
      (text) => text.endsWith(LONG),
    );
    expect(callsTo(chat).length).toBe(3);
    expect(callsTo(chat).map(({ threadId }) => threadId)).toEqual([topic, topic, topic]);
  }
  const other = {
    ...forum.message,
    message_id: 302,
    message_thread_id: 56,
    text: 'in another topic',
    reply_to_message: undefined,
  };
  await post({ update_id: 912, message: other });
  await waitUntil(
    'the other topic is answered',
    () => callsTo('-1002000000001').length,
    (seen) => seen === 4,
  );
  expect(callsTo('-1002000000001').at(-1)?.threadId).toBe(56);
  await waitUntil(
    'two sessions have told of their turns',
    () => new Set(world.lines({ msg: 'Turn ended' }).map(({ session }) => String(session))),
    (sessions) => [...sessions].filter((session) => session.includes('-1002000000001')).length === 2,
  );
});

proves(
  'B040',
  'thirty answers to one flooded group wait as long as each 429 says, all arrive in order; another chat is not held up',
  async () => {
    const group = '-100200';
    world.telegram.limits.set(group, { count: 8, perMs: 1500, retryAfterS: 1 });
    const members = world.fleet.of('dispatcher').length;
    const numbers = Array.from({ length: 30 }, (_, n) => String(n));
    const rows = numbers.map((text) => {
      const target = telegramChat(group);
      const turn = turnIdOf(messageId({ ...target, kind: 'message', platformId: `flood ${text}` }), 0);
      const session = sessionOf(`writer-${text}`, 'telegram', 'one');
      const row = {
        v: 1,
        id: outboxRowId(turn, 1),
        tenant: 'default',
        session,
        turn,
        n: 1,
        mode: 'final',
        fellBack: false,
      } as const;
      return { row: { ...row, target, text, at: 0 }, number: 0 };
    });
    await world.platform.relay.relay(rows);
    const began = performance.now();
    const said = await world.say(telegramChat('42'), 'one at the same time');
    await waitUntil(
      'chat 42 is answered',
      () => posted(world.telegram, '42').length,
      (seen) => seen === 1,
    );
    expect(performance.now() - began).toBeLessThan(2000);
    await waitUntil(
      'all thirty are shown',
      () => posted(world.telegram, group).length,
      (seen) => seen === 30,
      30_000,
    );
    expect(posted(world.telegram, group)).toEqual(numbers);
    const calls = callsTo(group);
    const refused = calls.flatMap(({ answered, answeredAt = Infinity }, index) =>
      answered === 429 ? [{ index, answeredAt }] : [],
    );
    expect(refused.length).toBeGreaterThan(1);
    for (const { index, answeredAt } of refused) expect(calls[index + 1]?.at).toBeGreaterThanOrEqual(answeredAt + 1000);
    expect(world.fleet.of('dispatcher')).toHaveLength(members);
    expect((await world.ended(said)).outcome).toBe('answered');
  },
);
