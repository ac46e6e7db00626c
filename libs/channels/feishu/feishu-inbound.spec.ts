import { createCipheriv, createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { inboundEventSchema, type InboundEvent } from '#contracts';
import { InvalidInputError, TerminalError } from '#kernel';
import { posted, requestsOf } from '../../../test/fixtures-of.js';
import type { WebhookRequest } from '../channel-port.js';
import { feishuAccount, type FeishuAccountOptions } from './feishu-account.js';

const FROZEN_S = 1_764_547_200;
const encryptKey = 'feishu-test-encrypt-key';
const options: FeishuAccountOptions = {
  account: 'cli_example0001',
  appId: 'cli_example0001',
  appSecret: 'feishu-app-secret',
  verificationToken: 'feishu-verify-token-0001',
  botOpenId: 'ou_bot',
};

function inboundOf(more: Partial<FeishuAccountOptions> = {}, nowS = FROZEN_S) {
  const clock = { now: () => nowS * 1000, monotonic: () => 0 };
  const { inbound } = feishuAccount({ ...options, ...more }, { clock });
  if (!inbound) throw new Error('Feishu has an inbound half');
  return inbound;
}

const header = {
  event_id: 'f1',
  event_type: 'im.message.receive_v1',
  create_time: '1764547200000',
  token: options.verificationToken,
  app_id: 'cli_example0001',
};
const request = (body: object, headers: Record<string, string> = {}): WebhookRequest =>
  posted(Buffer.from(JSON.stringify(body)), headers);
const sender = { sender_id: { open_id: 'ou_1' }, sender_type: 'user' };

function said(messageType: string, content: object, more: object = {}): InboundEvent[] {
  const message = {
    message_id: 'om_1',
    create_time: '1764547200000',
    chat_id: 'oc_1',
    chat_type: 'group',
    message_type: messageType,
    content: JSON.stringify(content),
    ...more,
  };
  return inboundOf().parse(request({ schema: '2.0', header, event: { sender, message } }));
}

/** Written from the platform's description, not from our opener. */
function sealed(body: object): { encrypt: string } {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(encryptKey).digest(), iv);
  return { encrypt: Buffer.concat([iv, cipher.update(JSON.stringify(body)), cipher.final()]).toString('base64') };
}

function signed(body: object, timestamp = String(FROZEN_S)): WebhookRequest {
  const text = JSON.stringify(body);
  const signature = createHash('sha256').update(`${timestamp}nonce${encryptKey}${text}`).digest('hex');
  return posted(Buffer.from(text), {
    'X-Lark-Request-Timestamp': timestamp,
    'X-Lark-Request-Nonce': 'nonce',
    'X-Lark-Signature': signature,
  });
}

for (const { name, expected, ...fixture } of requestsOf('feishu')) {
  test(`IN-2 fixture feishu/${name}`, () => {
    const inbound = inboundOf(name === 'message_encrypted' ? { encryptKey } : {});
    expect(inbound.verify(fixture)).toEqual({ ok: true });
    const wanted = expected as Record<string, unknown>;
    if (wanted['kind'] === 'challenge') {
      expect(inbound.handshake?.(fixture)).toEqual({ challenge: 'feishu-challenge-0001' });
      return;
    }
    expect(inbound.handshake?.(fixture)).toBeUndefined();
    const [event] = inbound.parse(fixture).map((one) => inboundEventSchema.parse(one));
    expect({
      channel: event?.channel,
      accountId: event?.account,
      kind: event?.kind,
      chatId: event?.conversation,
      chatType: event?.chatType,
      threadId: event?.thread,
      messageId: event?.messageId,
      senderId: event?.sender.id,
      senderName: event?.sender.name,
      senderIsBot: event?.sender.isBot,
      text: event?.text,
      media: event?.media,
      replyTo: event?.replyTo,
      mentionsBot: event?.mentionsBot,
      timestamp: new Date(event?.at ?? 0).toISOString().replace('.000', ''),
      startsTurn: event?.startsTurn,
    }).toEqual(Object.fromEntries(Object.entries(wanted).filter(([field]) => field !== 'dedupeKey' && field !== 'httpAnswer')));
    // One message may come under two event ids, says Feishu: its own id is the stronger key.
    expect(event?.eventId).toBe(name === 'card_action' ? 'f0000000000000000000000000000003' : event?.messageId);
  });
}

test('IN-4 one message under two event ids has one key', () => {
  const message = {
    message_id: 'om_7',
    create_time: '1',
    chat_id: 'oc_1',
    chat_type: 'p2p',
    message_type: 'text',
    content: '{"text":"x"}',
  };
  const ids = ['f1', 'f2'].flatMap((id) =>
    inboundOf()
      .parse(request({ schema: '2.0', header: { ...header, event_id: id }, event: { sender, message } }))
      .map(({ eventId }) => eventId),
  );
  expect(ids).toEqual(['om_7', 'om_7']);
});

test('IN-1 without an encrypt key the token in the body is the proof, of events and of the first question', () => {
  for (const body of [
    { schema: '2.0', header },
    { type: 'url_verification', challenge: 'c', token: options.verificationToken },
  ]) {
    expect(inboundOf().verify(request(body))).toEqual({ ok: true });
  }
  const wrong = [
    { schema: '2.0', header: { ...header, token: 'x' } },
    { schema: '2.0', header: { ...header, token: undefined } },
    { type: 'url_verification', challenge: 'c', token: 'x' },
    [],
    'x',
    sealed({ header }),
  ];
  for (const body of wrong) expect(inboundOf().verify(request(Object(body))).ok).toBe(false);
});

test('IN-1 with an encrypt key: sealed and signed; plain or unsigned bodies are refused, whatever token they hold', () => {
  const inbound = inboundOf({ encryptKey });
  expect(inbound.verify(signed(sealed({ schema: '2.0', header })))).toEqual({ ok: true });
  const unsigned = [
    { schema: '2.0', header },
    sealed({ schema: '2.0', header }),
    { type: 'url_verification', challenge: 'c', token: options.verificationToken },
    { encrypt: 'AAAA' },
    { encrypt: '' },
  ];
  for (const body of unsigned) expect(inbound.verify(request(body)).ok).toBe(false);
});

test('IN-1 the sealed question is answered though Feishu does not sign it: for the right key and token only', () => {
  const inbound = inboundOf({ encryptKey });
  const asked = request(sealed({ type: 'url_verification', challenge: 'c-1', token: options.verificationToken }));
  expect([inbound.verify(asked), inbound.handshake?.(asked)]).toEqual([{ ok: true }, { challenge: 'c-1' }]);
  expect(inbound.verify(request(sealed({ type: 'url_verification', challenge: 'c', token: 'x' }))).ok).toBe(false);
  expect(inboundOf({ encryptKey: 'another-key-0001' }).verify(asked).ok).toBe(false);
});

test.each([
  ['as old as the last retry', FROZEN_S - 7.2 * 3600, true],
  ['older than anything that is remembered', FROZEN_S - 9 * 3600, false],
  ['a minute ahead', FROZEN_S + 60, true],
  ['ten minutes ahead', FROZEN_S + 600, false],
  ['no number', Number.NaN, false],
])('IN-1 a signed timestamp %s', (_, timestamp, ok) => {
  expect(inboundOf({ encryptKey }).verify(signed(sealed({ header }), String(timestamp))).ok).toBe(ok);
});

test('IN-2 a verified body that does not open, or is no event, is invalid input', () => {
  for (const body of [{ encrypt: Buffer.alloc(48, 1).toString('base64') }, { encrypt: 'x' }, {}, { schema: '1.0' }]) {
    expect(() => inboundOf({ encryptKey }).parse(signed(body))).toThrow(InvalidInputError);
  }
});

const mention = (key: string, openId: string, name: string, more: object = {}) => ({
  key,
  id: { open_id: openId },
  name,
  ...more,
});

test('IN-2 mentions: the bot is told from others, and left out of the text', () => {
  const mentions = [mention('@_user_1', 'ou_bot', 'Bot'), mention('@_user_10', 'ou_2', 'Ann')];
  expect(said('text', { text: '@_user_1 ask @_user_10 and @_user_3' }, { mentions })).toMatchObject([
    { text: 'ask @Ann and @_user_3', mentionsBot: true },
  ]);
  expect(said('text', { text: '@_user_10 hi' }, { mentions: [mentions[1]] })).toMatchObject([{ mentionsBot: false }]);
  const unnamed = inboundOf({ botOpenId: undefined });
  const parse = (type?: string) => {
    const one = mention('@_user_1', 'ou_x', 'X', type === undefined ? {} : { mentioned_type: type });
    const message = {
      message_id: 'om_1',
      create_time: '1',
      chat_id: 'oc_1',
      chat_type: 'group',
      message_type: 'text',
      content: '{"text":"@_user_1 hi"}',
      mentions: [one],
    };
    return unnamed.parse(request({ schema: '2.0', header, event: { sender, message } }))[0]?.mentionsBot;
  };
  expect([parse(), parse('bot'), parse('user')]).toEqual([true, true, false]);
});

test.each([
  ['a picture', 'image', { image_key: 'img_1' }, { text: '', media: [{ type: 'image', ref: 'om_1/img_1' }], startsTurn: true }],
  [
    'a file',
    'file',
    { file_key: 'file_1', file_name: 'a.pdf' },
    { media: [{ type: 'file', ref: 'om_1/file_1', name: 'a.pdf' }] },
  ],
  ['a voice', 'audio', { file_key: 'file_2', duration: 2000 }, { media: [{ type: 'audio', ref: 'om_1/file_2' }] }],
  [
    'a film',
    'media',
    { file_key: 'file_3', image_key: 'img_c', file_name: 'a.mp4' },
    { media: [{ type: 'video', ref: 'om_1/file_3', name: 'a.mp4' }] },
  ],
  ['a place', 'location', { name: 'Home', latitude: '1.5', longitude: '2' }, { text: 'Home\n1.5, 2' }],
  ['a sticker', 'sticker', { file_key: 'x' }, { text: null, media: [], startsTurn: false }],
  ['content that is not JSON', 'text', { nothing: 1 }, { text: null, startsTurn: false }],
])('IN-2 %s', (_, type, content, expected) => {
  expect(said(type, content)).toMatchObject([expected]);
});

test('IN-2 rich text keeps its words, links, code and pictures', () => {
  const content = [
    [
      { tag: 'text', text: 'see ' },
      { tag: 'a', text: 'this', href: 'https://a.b' },
      { tag: 'at', user_id: '@_user_1', user_name: 'Bot' },
    ],
    [{ tag: 'img', image_key: 'img_1' }],
    [{ tag: 'code_block', language: 'GO', text: 'x := 1' }],
    [
      { tag: 'emotion', emoji_type: 'SMILE' },
      { tag: 'media', file_key: 'file_1', image_key: 'img_c' },
    ],
  ];
  expect(said('post', { title: 'News', content }, { mentions: [mention('@_user_1', 'ou_bot', 'Bot')] })).toMatchObject([
    {
      text: 'News\nsee [this](https://a.b)\n\n```go\nx := 1\n```',
      media: [
        { type: 'image', ref: 'om_1/img_1' },
        { type: 'video', ref: 'om_1/file_1' },
      ],
      mentionsBot: true,
    },
  ]);
});

test('IN-2 RT-1 what is said in a topic names the topic and its chat; other apps and other events are nothing', () => {
  expect(said('text', { text: 'x' }, { thread_id: 'omt_1', parent_id: 'om_0', root_id: 'om_0' })).toMatchObject([
    { thread: 'omt_1', parent: 'oc_1', replyTo: 'om_0' },
  ]);
  const parse = (change: object) => inboundOf().parse(request({ schema: '2.0', header: { ...header, ...change }, event: {} }));
  for (const change of [{ app_id: 'cli_other' }, { event_type: 'im.chat.updated_v1' }, {}]) expect(parse(change)).toEqual([]);
});

test('IN-2 TU-7 a pressed button of ours brings its data, its topic and the kind of its chat; it is answered with an object', () => {
  const press = (value: unknown) => ({
    schema: '2.0',
    header: { ...header, event_type: 'card.action.trigger' },
    event: {
      operator: { open_id: 'ou_1' },
      action: { value, tag: 'button' },
      context: { open_message_id: 'om_9', open_chat_id: 'oc_1' },
    },
  });
  const ours = request(press({ turnpike: { data: '/approve A yes', direct: true, thread: 'omt_1' } }));
  expect(inboundOf().parse(ours)).toMatchObject([
    { kind: 'callback', text: '/approve A yes', chatType: 'direct', thread: 'omt_1', conversation: 'oc_1' },
  ]);
  expect(inboundOf().acknowledgement?.(ours)).toEqual({});
  expect(inboundOf().acknowledgement?.(request({ schema: '2.0', header, event: {} }))).toBeUndefined();
});

test.each([
  ['appId', { appId: 'has space' }],
  ['appSecret', { appSecret: '' }],
  ['verificationToken', { verificationToken: '' }],
  ['encryptKey', { encryptKey: '' }],
  ['apiRoot', { apiRoot: 'open.feishu.cn' }],
])('IN-1 an account with a bad %s refuses to start', (field, bad) => {
  const start = () => feishuAccount({ ...options, ...bad });
  expect(start).toThrow(TerminalError);
  expect(start).toThrow(field);
});
