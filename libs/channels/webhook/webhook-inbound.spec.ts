import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inboundEventSchema } from '#contracts';
import { InvalidInputError, TerminalError } from '#kernel';
import { fixturesOf, posted } from '../../../test/fixtures-of.js';
import { webhookAccount } from './webhook-account.js';

const secret = 'generic-test-secret';

function inboundOf(given = secret) {
  const { inbound } = webhookAccount({ account: 'acct1', secret: given }, { newId: () => 'generated' });
  if (!inbound) throw new Error('A webhook account has an inbound half');
  return inbound;
}

function signed(body: Buffer, key: string | Buffer = secret) {
  return posted(body, { 'x-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}` });
}

const message = { type: 'message', conversation: { id: 'c', type: 'group' }, sender: { id: 'u' }, text: 'hi' };
const parse = (body: unknown) => inboundOf().parse(signed(Buffer.from(JSON.stringify(body))));

const messages = fixturesOf('generic').filter(({ expected }) => expected.channel === 'generic');

test('IN-2 the generic fixtures that come by webhook are all here', () => {
  expect(messages.map(({ name }) => name)).toEqual(['message', 'message_without_id']);
});

test.each(messages)('IN-2 fixture generic/$name', ({ expected, ...request }) => {
  const inbound = inboundOf();
  expect(inbound.verify(request)).toEqual({ ok: true });
  const events = inbound.parse(request);
  expect(events).toHaveLength(1);
  const event = inboundEventSchema.parse(events[0]);
  const { dedupeKey, messageId } = expected;
  expect(event).toEqual({
    channel: expected.channel,
    account: expected.accountId,
    kind: expected.kind,
    eventId: messageId === 'generated' ? 'generated' : dedupeKey.split(':').at(-1),
    edit: 0,
    conversation: expected.chatId,
    chatType: expected.chatType,
    thread: expected.threadId,
    messageId,
    sender: { id: expected.senderId, name: expected.senderName, isBot: expected.senderIsBot },
    text: expected.text,
    media: expected.media,
    replyTo: expected.replyTo,
    mentionsBot: expected.mentionsBot,
    at: Date.parse(expected.timestamp),
    startsTurn: expected.startsTurn,
  });
});

const text = JSON.stringify(message);
test.each([
  [
    'another key order',
    Buffer.from('{"text":"hi","type":"message","sender":{"id":"u"},"conversation":{"type":"group","id":"c"}}'),
  ],
  ['escapes', Buffer.from(text.replace('hi', '\\u00e9'))],
  ['the same letter unescaped', Buffer.from(text.replace('hi', 'é'))],
  ['a number as 1.0', Buffer.from(text.replace('{', '{"n":1.0,'))],
  ['a trailing newline', Buffer.from(`${text}\n`)],
  ['duplicate keys', Buffer.from(text.replace('{', '{"text":"first",'))],
  ['a four-byte emoji', Buffer.from(text.replace('hi', '😀'))],
  ['gzip', gzipSync(text)],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ['1.2 MB', Buffer.from(text.replace('hi', 'x'.repeat(1_200_000)))],
])('B078 the signature covers the bytes as they came: %s', (_, body) => {
  const genuine = signed(body);
  expect(inboundOf().verify(genuine)).toEqual({ ok: true });
  for (const index of [0, body.length >> 1, body.length - 1]) {
    const changed = Buffer.from(body);
    changed[index] = (body[index] ?? 0) ^ 1;
    expect(inboundOf().verify({ ...genuine, body: changed })).toMatchObject({ ok: false });
  }
});

test('IN-1 a signature of another secret, and one without its algorithm, are refused', () => {
  const body = Buffer.from(text);
  expect(inboundOf().verify(signed(body, 'another'))).toMatchObject({ ok: false });
  const genuine = signed(body);
  const bare = { 'x-signature-256': genuine.headers['x-signature-256']?.slice('sha256='.length) };
  expect(inboundOf().verify({ ...genuine, headers: bare })).toMatchObject({ ok: false });
});

test('IN-1 a whsec_ secret signs with the bytes behind it', () => {
  const key = Buffer.from('0123456789abcdef0123456789abcdef');
  expect(inboundOf(`whsec_${key.toString('base64')}`).verify(signed(Buffer.from(text), key))).toEqual({ ok: true });
});

test.each(['', 'whsec_'])('IN-1 an account with the empty secret "%s" refuses to start', (empty) => {
  expect(() => webhookAccount({ account: 'acct1', secret: empty })).toThrow(TerminalError);
});

test('IN-2 thread, quote, mention and attachments are taken; unknown fields are ignored', () => {
  const attachments = [
    { type: 'image', url: 'https://a.b/cat.png', mime: 'image/png', size: 9, extra: 1 },
    { url: 'https://a.b/x' },
  ];
  expect(parse({ ...message, thread: 't', replyTo: 'evt-0', mentionsBot: true, attachments, extra: {} })).toMatchObject([
    {
      thread: 't',
      replyTo: 'evt-0',
      mentionsBot: true,
      at: null,
      sender: { id: 'u', name: null, isBot: false },
      media: [
        { type: 'image', ref: 'https://a.b/cat.png', mime: 'image/png', size: 9 },
        { type: 'file', ref: 'https://a.b/x' },
      ],
    },
  ]);
});

test('IN-2 RT-1 what bindings and access look at is passed on, and nothing is made up', () => {
  const place = {
    guild: 'g1',
    team: 't1',
    roles: ['admin', 'ops'],
    parent: 'c0',
    title: 'Ops',
    quoted: { sender: null, text: 'what he said' },
    fromSelf: false,
    senderUsername: 'alex',
  };
  expect(parse({ ...message, ...place })).toMatchObject([place]);
  expect(Object.keys(parse(message)[0] ?? {})).not.toContain('roles');
});

test('IN-2 another type of event is acknowledged with nothing, whatever it holds', () => {
  expect(parse({ type: 'conversation.closed', conversation: 7 })).toEqual([]);
});

test.each([
  ['body', '['],
  ['type', '{}'],
  ['conversation.id', JSON.stringify({ ...message, conversation: { id: '', type: 'group' } })],
  ['text', JSON.stringify({ ...message, text: 7 })],
  ['roles', JSON.stringify({ ...message, roles: 'admin' })],
])('IN-2 what is no message is refused as invalid input that names %s', (field, body) => {
  const read = () => inboundOf().parse(signed(Buffer.from(body)));
  expect(read).toThrow(InvalidInputError);
  expect(read).toThrow(field);
});
