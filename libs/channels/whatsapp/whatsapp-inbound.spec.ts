import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { inboundEventSchema, type InboundEvent } from '#contracts';
import { InvalidInputError, TerminalError } from '#kernel';
import { posted, requestsOf } from '../../../test/fixtures-of.js';
import type { WebhookRequest } from '../channel-port.js';
import { whatsappAccount } from './whatsapp-account.js';

const number = '200000000000001';
const options = {
  account: number,
  phoneNumberId: number,
  accessToken: 'a-token-of-a-system-user',
  appSecret: 'wa-test-app-secret',
  verifyToken: 'wa-verify-0001',
};

function inboundOf() {
  const { inbound } = whatsappAccount(options);
  if (!inbound) throw new Error('WhatsApp has an inbound half');
  return inbound;
}

const parse = (value: object): InboundEvent[] => inboundOf().parse(notified([value]));

/** One POST with an entry for each list of values. */
function notified(...entries: object[][]): WebhookRequest {
  const entry = entries.map((values) => ({
    id: '1',
    changes: values.map((value) => ({
      field: 'messages',
      value: { messaging_product: 'whatsapp', metadata: { phone_number_id: number }, ...value },
    })),
  }));
  return posted(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry })), {});
}

const said = (message: object, id = 'wamid.1') => ({
  messages: [{ from: '15550100077', id, timestamp: '1764547200', ...message }],
});
const text = (body: string, id?: string) => said({ type: 'text', text: { body } }, id);

/** The fixtures' names of our fields. */
const normalised = (event: InboundEvent) => ({
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
  media: event.media,
  replyTo: event.replyTo,
  mentionsBot: event.mentionsBot,
  timestamp: new Date(event.at ?? 0).toISOString().replace('.000', ''),
});

for (const { name, expected, ...request } of requestsOf('whatsapp')) {
  test(`IN-2 B029 fixture whatsapp/${name}`, () => {
    const inbound = inboundOf();
    expect(inbound.verify(request)).toEqual({ ok: true });
    const events = inbound.parse(request).map((event) => inboundEventSchema.parse(event));
    const wanted = [expected].flat() as Record<string, unknown>[];
    const messages = wanted.filter(({ kind }) => kind !== 'status');
    expect(events).toHaveLength(messages.length);
    for (const [index, event] of events.entries()) {
      const { dedupeKey, startsTurn, ...fields } = messages[index] ?? {};
      expect({ ...normalised(event), httpAnswer: fields['httpAnswer'] }).toEqual(fields);
      expect(event.eventId.endsWith(String(dedupeKey).slice(-6))).toBe(true);
      // The redelivery starts none because it is absorbed behind the channel (IN-4).
      expect(event.startsTurn).toBe(name === 'text_duplicate' ? true : startsTurn);
    }
    expect(inbound.reports?.(request).length).toBe(
      name === 'statuses_sent_delivered_read' ? 3 : name === 'status_failed' ? 1 : 0,
    );
  });
}

test('B029 statuses come as reports, a failure with its code, and bring the key of their send back', () => {
  const reports = requestsOf('whatsapp').flatMap((request) => inboundOf().reports?.(request) ?? []);
  expect(reports.map(({ state, message }) => [state, message.slice(-7, -2)])).toEqual([
    ['failed', '00002'],
    ['read', '00001'],
    ['sent', '00001'],
    ['delivered', '00001'],
  ]);
  expect(reports[0]).toEqual({
    message: 'wamid.OUT0000000000000002==',
    conversation: '15550100077',
    state: 'failed',
    at: 1_764_547_202_000,
    reason: '131047 more than 24 hours have passed',
  });
  const status = { id: 'wamid.9', status: 'read', timestamp: '1', recipient_id: '1', biz_opaque_callback_data: 'row-1/0' };
  const [report] = inboundOf().reports?.(notified([{ statuses: [{ id: 'strange' }, status] }])) ?? [];
  expect(report).toMatchObject({ idempotencyKey: 'row-1/0', message: 'wamid.9' });
});

test('B029 every message of a POST with two entries of two changes is read; a bad one loses no other', () => {
  const bad = { messages: [{ id: 7 }, ...text('c', 'wamid.c').messages] };
  const events = inboundOf().parse(notified([text('a', 'wamid.a'), text('b', 'wamid.b')], [bad, text('d', 'wamid.d')]));
  expect(events.map(({ text: words }) => words)).toEqual(['a', 'b', 'c', 'd']);
});

test('IN-2 what is for another number of the app, or no message at all, is not for this account', () => {
  expect(parse({ ...text('x'), metadata: { phone_number_id: '2' } })).toEqual([]);
  expect(parse({ messaging_product: 'whatsapp' })).toEqual([]);
  const entry = [{ changes: [{ field: 'account_update', value: { event: 'VERIFIED_ACCOUNT' } }] }];
  expect(inboundOf().parse(posted(Buffer.from(JSON.stringify({ object: 'whatsapp_business_account', entry })), {}))).toEqual([]);
});

test.each([
  [
    'a list reply',
    { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'row-2', title: 'Two' } } },
    { kind: 'callback', text: 'row-2' },
  ],
  [
    'a quick reply of a template',
    { type: 'button', button: { payload: 'yes-1', text: 'Yes' } },
    { kind: 'callback', text: 'yes-1' },
  ],
  [
    'a voice message',
    { type: 'audio', audio: { id: '9', mime_type: 'audio/ogg; codecs=opus', voice: true } },
    { text: '', media: [{ type: 'audio', ref: '9', mime: 'audio/ogg; codecs=opus' }], startsTurn: true },
  ],
  [
    'a document',
    { type: 'document', document: { id: '8', filename: 'a.pdf', mime_type: 'application/pdf' } },
    { media: [{ type: 'file', ref: '8', name: 'a.pdf', mime: 'application/pdf' }] },
  ],
  [
    'a place',
    { type: 'location', location: { latitude: 1.5, longitude: 2, name: 'Home' } },
    { text: 'Home\n1.5, 2', startsTurn: true },
  ],
  [
    'a reaction',
    { type: 'reaction', reaction: { message_id: 'wamid.o', emoji: '👍' } },
    { kind: 'reaction', text: '👍', messageId: 'wamid.o', startsTurn: false },
  ],
  [
    'a reaction taken back',
    { type: 'reaction', reaction: { message_id: 'wamid.o' } },
    { kind: 'reaction', text: '', messageId: 'wamid.o', startsTurn: false },
  ],
  ['a kind of tomorrow', { type: 'hologram', hologram: {} }, { text: null, media: [], startsTurn: false }],
  ['an answer', { type: 'text', text: { body: 'yes' }, context: { from: '1', id: 'wamid.o' } }, { replyTo: 'wamid.o' }],
])('IN-2 %s', (_, message, expected) => {
  expect(parse(said(message))).toMatchObject([expected]);
});

test('IN-1 Meta checks an address by GET: answered with its challenge for the right token only', () => {
  const asked = (query: Record<string, string>): WebhookRequest => ({ method: 'GET', query, headers: {}, body: Buffer.alloc(0) });
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': 'wa-verify-0001', 'hub.challenge': '1158201444' };
  expect(inboundOf().verify(asked(right))).toEqual({ ok: true });
  expect(inboundOf().handshake?.(asked(right))).toBe('1158201444');
  const wrong = [
    { ...right, 'hub.verify_token': 'wa-verify-0002' },
    { ...right, 'hub.mode': 'unsubscribe' },
    { 'hub.mode': 'subscribe' },
  ];
  for (const query of wrong) expect(inboundOf().verify(asked(query as Record<string, string>)).ok).toBe(false);
  const body = Buffer.from('{}');
  const signature = `sha256=${createHmac('sha256', options.appSecret).update(body).digest('hex')}`;
  const posting = { ...asked({}), method: 'POST' as const, body, headers: { 'x-hub-signature-256': signature } };
  expect([inboundOf().verify(posting).ok, inboundOf().handshake?.(posting)]).toEqual([true, undefined]);
});

test.each(['', '{', '[]', '{"object":"page","entry":[]}', '{"object":"whatsapp_business_account"}'])(
  'IN-2 what is no notification is refused as invalid input: %s',
  (body) => {
    expect(() => inboundOf().parse(posted(Buffer.from(body), {}))).toThrow(InvalidInputError);
  },
);

test.each([
  ['appSecret', { appSecret: '' }],
  ['verifyToken', { verifyToken: '' }],
  ['phoneNumberId', { phoneNumberId: '+1 555' }],
  ['accessToken', { accessToken: '' }],
  ['apiRoot', { apiRoot: 'graph.facebook.com' }],
])('IN-1 an account with a bad %s refuses to start', (field, bad) => {
  const start = () => whatsappAccount({ ...options, ...bad });
  expect(start).toThrow(TerminalError);
  expect(start).toThrow(field);
});
