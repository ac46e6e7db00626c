import { generateKeyPairSync, sign } from 'node:crypto';
import type { APIInteraction } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { inboundEventSchema, type InboundEvent } from '#contracts';
import { InvalidInputError, messageId, TerminalError } from '#kernel';
import { fixturesOf, posted, requestsOf } from '../../../test/fixtures-of.js';
import { discordAccount, type DiscordAccountOptions } from './discord-account.js';
import { gatewayEvent } from './gateway-event.js';
import type { interactionSchema } from './interaction.schema.js';

const applicationId = '100000000000000001';
const SIGNED_AT = 1764547200;
const options = {
  account: `app:${applicationId}`,
  applicationId,
  publicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
  botToken: 'a.bot-token',
};

function inboundOf(more: Partial<DiscordAccountOptions> = {}, now = SIGNED_AT * 1000) {
  const { inbound } = discordAccount({ ...options, ...more }, { clock: { now: () => now, monotonic: () => 0 } });
  if (!inbound) throw new Error('Discord has an inbound half');
  return inbound;
}

const user = { id: '200000000000000001', username: 'alex_example', global_name: 'Alex Example' };
const slash = {
  id: '300000000000000002',
  application_id: applicationId,
  type: 2,
  token: 'a-token',
  channel_id: '500000000000000001',
  user,
  data: { name: 'ask', options: [{ name: 'question', type: 3, value: 'hi' }] },
};
const parse = (interaction: object): InboundEvent[] => inboundOf().parse(posted(Buffer.from(JSON.stringify(interaction))));

/** Fails to compile when the schema asks for something that Discord does not promise. */
export const accepts = (
  interaction: APIInteraction,
): Pick<z.input<typeof interactionSchema>, 'id' | 'application_id' | 'type' | 'token' | 'guild_id' | 'user'> => interaction;

const gateway = {
  channel: 'discord',
  account: options.account,
  bot: applicationId,
  threads: new Map([['500000000000000077', '500000000000000001']]),
};

/** The notes of the gateway's payloads carry no headers: they come over the socket. */
function eventOf({ name, ...asked }: ReturnType<typeof requestsOf>[number]): InboundEvent | undefined {
  if (name.startsWith('gateway')) return gatewayEvent(JSON.parse(asked.body.toString()), gateway);
  const inbound = inboundOf();
  expect(inbound.verify(asked)).toEqual({ ok: true });
  expect(inbound.handshake?.(asked)).toBeUndefined();
  return inbound.parse(asked)[0];
}

for (const fixture of fixturesOf('discord')) {
  const { dedupeKey, startsTurn, ...expected } = fixture.expected;
  test(`IN-2 fixture discord/${fixture.name}`, () => {
    const event = inboundEventSchema.parse(eventOf(fixture));
    expect({
      channel: event.channel,
      accountId: event.account,
      kind: event.kind,
      chatId: event.conversation,
      chatType: event.chatType,
      threadId: event.thread,
      messageId: event.messageId,
      senderId: event.sender.id,
      senderName: event.sender.name,
      senderIsBot: event.sender.isBot,
      text: event.text,
      media: event.media.map(({ type, ref, mime, size }) => ({ type, ref, mime, size })),
      replyTo: event.replyTo,
      mentionsBot: event.mentionsBot,
      timestamp: event.at,
    }).toEqual({
      ...expected,
      // A slash command is a message to the bot; what it is called is in its text.
      kind: expected.kind === 'command' ? 'message' : expected.kind,
      timestamp: expected.timestamp.startsWith('from the snowflake') ? madeAt(event.eventId) : Date.parse(expected.timestamp),
    });
    expect(dedupeKey.endsWith(`:${event.eventId}`)).toBe(true);
    // Whoever is a bot is not heard unless the account says so (docs/access.md).
    expect(event.startsTurn && !event.sender.isBot).toBe(startsTurn);
  });
}

test('IN-2 a ping is answered, and only where it is signed', () => {
  const [ping] = requestsOf('discord').filter(({ name }) => name === 'interaction_ping');
  if (!ping) throw new Error('no fixture');
  const inbound = inboundOf();
  expect(inbound.verify(ping)).toEqual({ ok: true });
  expect(inbound.handshake?.(ping)).toEqual({ type: 1 });
  expect(inbound.verify({ ...ping, headers: {} }).ok).toBe(false);
});

test('IN-3 a slash command is answered with "thinking", a button with nothing to see, what is unknown with nothing', () => {
  const answers = requestsOf('discord')
    .filter(({ name }) => name.startsWith('interaction'))
    .map(({ name, ...asked }) => [name, inboundOf().acknowledgement?.(asked)]);
  expect(Object.fromEntries(answers)).toEqual({
    interaction_button: { type: 6 },
    interaction_ping: undefined,
    interaction_slash_command: { type: 5 },
  });
  const modal = posted(Buffer.from(JSON.stringify({ ...slash, type: 5 })));
  expect([inboundOf().parse(modal), inboundOf().acknowledgement?.(modal)]).toEqual([[], undefined]);
});

test('B045 IN-1 a request of another key, or not of these five minutes, is refused', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  const signed = (time: string) => {
    const body = Buffer.from('{}');
    const signature = sign(null, Buffer.concat([Buffer.from(time), body]), privateKey).toString('hex');
    return posted(body, { 'x-signature-timestamp': time, 'x-signature-ed25519': signature });
  };
  const inbound = inboundOf({ publicKey: raw });
  const ok = (time: string) => inbound.verify(signed(time)).ok;
  expect([0, -300, 300, -301, 301].map((skew) => ok(String(SIGNED_AT + skew)))).toEqual([true, true, true, false, false]);
  expect(['NaN', '', '-1764547200'].map(ok)).toEqual([false, false, false]);
  expect(inboundOf().verify(signed(String(SIGNED_AT))).ok).toBe(false);
});

test('IN-4 an interaction that comes twice is one message, another one is another', () => {
  const events = [slash, slash, { ...slash, id: '300000000000000009' }].flatMap(parse);
  expect(new Set(events.map((event) => messageId({ ...event, platformId: event.eventId }))).size).toBe(2);
});

test.each([
  ['ask', [{ name: 'question', type: 3, value: 'what is new?' }], 'what is new?'],
  ['status', undefined, '/status'],
  ['model', [{ name: 'words', type: 3, value: 'openai/x' }], '/model openai/x'],
  [
    'queue',
    [
      {
        name: 'set',
        type: 1,
        options: [
          { name: 'mode', type: 3, value: 'steer' },
          { name: 'n', type: 4, value: 3 },
        ],
      },
    ],
    '/queue steer 3',
  ],
])('RT-4 the slash command %s with %j reads as %j', (name, given, text) => {
  expect(parse({ ...slash, data: { name, options: given } })).toMatchObject([{ text, mentionsBot: true }]);
});

test('IN-2 where a slash command was given: a direct chat, a server with roles, a thread of it, a group', () => {
  const places = [
    {},
    { guild_id: '400', user: undefined, member: { user, nick: 'Al', roles: ['900'] } },
    { guild_id: '400', channel: { type: 11, name: 'the thread', parent_id: '501' } },
    { channel: { type: 3 } },
  ];
  const [direct, server, thread, group] = places.flatMap((place) => parse({ ...slash, ...place }));
  expect(direct).toMatchObject({ chatType: 'direct', thread: null, sender: { name: 'Alex Example' } });
  expect(server).toMatchObject({ chatType: 'channel', guild: '400', roles: ['900'], sender: { name: 'Al' } });
  expect(thread).toMatchObject({ conversation: slash.channel_id, thread: slash.channel_id, parent: '501', title: 'the thread' });
  expect(group).toMatchObject({ chatType: 'group' });
});

const written = {
  id: '700000000000000009',
  type: 0,
  channel_id: '500000000000000001',
  author: user,
  content: 'hi',
  timestamp: '2025-12-01T00:00:00.000000+00:00',
};
const dispatched = (message: object, t = 'MESSAGE_CREATE', s = 42) =>
  gatewayEvent({ op: 0, t, s, d: { ...written, ...message } }, gateway);

test('IN-4 after a RESUME the same message comes with another number: one message', () => {
  expect(dispatched({}, 'MESSAGE_CREATE', 43)).toEqual(dispatched({}, 'MESSAGE_CREATE', 42));
});

test('IN-2 of the gateway: edits of the words, the own messages, webhooks; nothing of joins, previews and other dispatches', () => {
  const edited_timestamp = '2025-12-01T00:01:00.123000+00:00';
  expect(dispatched({ edited_timestamp, content: 'new' }, 'MESSAGE_UPDATE')).toMatchObject({
    kind: 'edit',
    edit: Date.parse(edited_timestamp),
    startsTurn: false,
  });
  expect(dispatched({ author: { ...user, id: applicationId, bot: true } })).toMatchObject({ fromSelf: true });
  expect(dispatched({ webhook_id: '1' })).toMatchObject({ sender: { isBot: true } });
  expect(dispatched({ content: `<@!${applicationId}> hi`, mentions: [{ id: applicationId }] })).toMatchObject({
    text: 'hi',
    mentionsBot: true,
  });
  expect(dispatched({ edited_timestamp: null }, 'MESSAGE_UPDATE')).toBeUndefined();
  expect(dispatched({ type: 7 })).toBeUndefined();
  expect(dispatched({ content: '' })).toBeUndefined();
  expect(dispatched({}, 'TYPING_START')).toBeUndefined();
});

test.each(['', '{', '[]', 'null', '{"type":1}', '{"id":1}'])(
  'IN-2 what is no interaction is refused as invalid input: %s',
  (text) => {
    expect(() => inboundOf().parse(posted(Buffer.from(text)))).toThrow(InvalidInputError);
  },
);

test.each([
  ['publicKey', { publicKey: '' }],
  ['publicKey', { publicKey: 'z'.repeat(64) }],
  ['applicationId', { applicationId: 'mine' }],
  ['botToken', { botToken: '' }],
  ['apiRoot', { apiRoot: 'discord.com/api' }],
])('B041 IN-1 an account with a bad %s refuses to start', (field, bad) => {
  const start = () => discordAccount({ ...options, ...bad });
  expect(start).toThrow(TerminalError);
  expect(start).toThrow(field);
});

function madeAt(id: string): number {
  return Number((BigInt(id) >> 22n) + 1_420_070_400_000n);
}
