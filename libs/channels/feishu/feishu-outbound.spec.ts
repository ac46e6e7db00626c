import { expect, onTestFinished, test } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { channelContract, rowOf, sendAll, sendTo } from '../../../test/contract-kit.js';
import { startFeishuServer, feishuFault } from '../../../test/fakes/feishu-server.js';
import { startScriptedServer } from '../../../test/fakes/scripted-server.js';
import { posted, requestsOf } from '../../../test/fixtures-of.js';
import { feishuAccount, type FeishuAccountOptions } from './feishu-account.js';

const app = { appId: 'cli_example0001', appSecret: 'feishu-app-secret' };
const encryptKey = 'feishu-test-encrypt-key';
/** When the fixtures were. */
const SIGNED_AT = 1_764_547_200_000;
const target: Target = { channel: 'feishu', account: 'acct1', conversation: 'oc_1' };

async function start(more: Partial<FeishuAccountOptions> = {}, { trustedOrigins = [] as string[], now = Date.now } = {}) {
  const server = await startFeishuServer(app);
  const time = { ms: 0 };
  const clock = { now, monotonic: () => performance.now() + time.ms };
  const options = { account: 'acct1', ...app, verificationToken: 'a-token-of-feishu', apiRoot: server.url, ...more };
  return { server, account: feishuAccount(options, { clock, media: { trustedOrigins } }), time };
}

async function started(...options: Parameters<typeof start>) {
  const made = await start(...options);
  onTestFinished(() => made.server.close());
  const send = (row: OutboxRow, signal?: AbortSignal) => sendAll(made.account, row, signal && { signal });
  return { ...made, send };
}

function inboundAt(now: number) {
  const options = { account: 'acct1', ...app, verificationToken: 'a-token-of-feishu', encryptKey };
  const { inbound } = feishuAccount(options, { clock: { now: () => now, monotonic: () => 0 } });
  if (!inbound) throw new Error('Feishu has an inbound half');
  return inbound;
}

let rows = 0;
const row = (text: string, more: Partial<OutboxRow> = {}): OutboxRow => ({
  ...rowOf(more.target ?? target, text),
  id: `row-${++rows}`,
  ...more,
});

channelContract('feishu', { webhook: true, http: true }, async () => {
  const { server, account } = await start({ encryptKey }, { now: () => SIGNED_AT });
  // The others are in plain; feishu-inbound.spec.ts has all of them.
  const [genuine, ...others] = requestsOf('feishu').filter(({ name }) => name === 'message_encrypted');
  if (!genuine) throw new Error('no fixture');
  const novelty = {
    schema: '2.0',
    header: { event_id: 'f1', event_type: 'novelty', create_time: '1', token: 't', app_id: app.appId },
  };
  return {
    account,
    target,
    inbound: {
      genuine,
      proof: 'x-lark-signature',
      signsBody: true,
      fixtures: [genuine, ...others],
      unknown: posted(Buffer.from(JSON.stringify({ ...novelty, event: {} }))),
      skew: { aheadMs: 8 * 3_600_000, behindMs: 300_000, account: (ms) => inboundAt(SIGNED_AT + ms) },
    },
    wire: {
      fail: server.fail,
      arrived: () => server.calls.length,
      answers: [
        { says: 'limit of the app', fault: feishuFault.appLimit(52), outcome: 'retry', floorMs: 52_000 },
        { says: 'limit of the app, as old APIs say it', fault: feishuFault.appLimit(7, 400), outcome: 'retry', floorMs: 7_000 },
        { says: 'limit of the chat', fault: feishuFault.chatLimit(), outcome: 'retry', floorMs: 1_000 },
        { says: 'server error', fault: feishuFault.serverError(), outcome: 'retry' },
        { says: 'not in the group', fault: feishuFault.notInGroup(), outcome: 'refused' },
        { says: 'too long', fault: feishuFault.tooLong(), outcome: 'refused' },
        ...[500, 502, 504].map((status) => ({
          says: `bare ${status}`,
          fault: feishuFault.bare(status),
          outcome: 'unknown' as const,
        })),
        { says: 'bare 503', fault: feishuFault.bare(503), outcome: 'retry' },
        { says: 'bare 429', fault: feishuFault.bare(429), outcome: 'retry' },
        { says: 'bare 404', fault: feishuFault.bare(404), outcome: 'refused' },
        {
          says: 'redirect',
          fault: { kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:9/' } },
          outcome: 'refused',
        },
        { says: 'success without an id', fault: { kind: 'answer', status: 200, body: '{"code":0}' }, outcome: 'unknown' },
      ],
    },
    close: server.close,
  };
});

test('G5 a send whose answer was lost is made again with the same uuid, and shown once', async () => {
  const { server, send } = await started();
  const one = row('once');
  server.fail({ kind: 'reset' });
  expect((await send(one)).map(({ kind }) => kind)).toEqual(['unknown']);
  expect(await send(one)).toEqual([{ kind: 'sent', platformId: 'om_out1' }]);
  expect(server.posts.map(({ text }) => text)).toEqual(['once']);
  expect(String(server.calls[0]?.body['uuid'])).toMatch(/^[0-9a-f]{40}$/);
});

test('OUT-1 limits name their scope: the app or the chat', async () => {
  const { server, account } = await started();
  server.fail(feishuFault.appLimit(3), feishuFault.chatLimit());
  expect([await sendTo(account, target), await sendTo(account, target)]).toMatchObject([{ scope: 'app' }, { scope: 'chat' }]);
  expect(account.outbound.rates?.(target).map(({ scope, count, perMs }) => [scope, count, perMs])).toEqual([
    ['app', 50, 1_000],
    ['appMinute', 1_000, 60_000],
    ['chat', 5, 1_000],
  ]);
});

test('OUT-1 ten sends at once ask for one token; it is renewed in time, and replaced when Feishu does not take it', async () => {
  const { server, account, time } = await started();
  const many = () => Promise.all(Array.from({ length: 10 }, () => sendTo(account, target)));
  expect((await many()).every(({ kind }) => kind === 'sent')).toBe(true);
  expect(server.tokens()).toBe(1);
  time.ms += (7200 - 14 * 60) * 1000;
  await sendTo(account, target);
  expect(server.tokens()).toBe(2);
  server.revokeTokens();
  expect((await sendTo(account, target)).kind).toBe('sent');
  expect(server.tokens()).toBe(3);
});

test('OUT-1 without a token nothing is sent: refused for a wrong secret, which nobody reads', async () => {
  const { server, account } = await started({ appSecret: 'another-secret' });
  const outcome = await sendTo(account, target);
  expect(outcome).toEqual({ kind: 'refused', reason: 'no access token: 10014 app secret invalid' });
  expect(server.calls).toEqual([]);
});

test('OUT-2 T4 the first part quotes, and every part stays in its topic, whose root is asked for once', async () => {
  const { server, send } = await started();
  server.topics.set('omt_1', 'om_root1');
  const place = { ...target, thread: 'omt_1', replyTo: 'om_2' };
  await send(row('word '.repeat(6_000), { target: place }));
  await send(row('later', { target: { ...target, thread: 'omt_1' } }));
  await send(row('a quote', { target: { ...target, replyTo: 'om_3' } }));
  expect(server.posts.map(({ repliesTo, inThread }) => [repliesTo, inThread])).toEqual([
    ['om_2', true],
    ['om_root1', true],
    ['om_root1', true],
    ['om_3', false],
  ]);
  expect(server.calls.filter(({ path }) => path.includes('container_id=omt_1'))).toHaveLength(1);
});

test('OUT-2 what is quoted and gone is answered without the quote; an unknown topic or a strange id is refused', async () => {
  const { server, send } = await started();
  await send(row('first'));
  await send(row('', { action: { do: 'delete', message: 'om_out1' } }));
  expect((await send(row('second', { target: { ...target, replyTo: 'om_out1' } }))).map(({ kind }) => kind)).toEqual(['sent']);
  expect(server.posts.map(({ repliesTo, deleted }) => [repliesTo, deleted])).toEqual([
    [undefined, true],
    [undefined, false],
  ]);
  const places = [{ thread: 'omt_unknown' }, { thread: '../x' }, { conversation: 'a/b' }];
  for (const place of places)
    expect(await send(row('x', { target: { ...target, ...place } }))).toMatchObject([{ kind: 'refused' }]);
});

test('OUT-2 a long text goes out whole, each message within 30 KB of JSON, however many lines and styles', async () => {
  const { server, send } = await started();
  const texts = [
    '汉字😀'.repeat(9_000),
    '**a**\n'.repeat(3_000),
    '"\\\u0001\n'.repeat(4_000),
    `\`\`\`ts\n${'const a = "<&>";\n'.repeat(3_000)}\`\`\``,
  ];
  for (const text of texts) expect((await send(row(text))).every(({ kind }) => kind === 'sent')).toBe(true);
  const [cjk] = texts;
  const shown = server.posts.filter(({ text }) => text.startsWith('汉')).map(({ text }) => text);
  expect(shown.join('')).toBe(cjk);
  expect(shown.length).toBeGreaterThan(2);
});

test('OUT-2 rich text: styles, links and code as Feishu has them', async () => {
  const { server, send } = await started();
  await send(
    row('# Head\n\n**bold _both_** [site](https://a.b/?c=1) <at user_id="all">x</at>\n\n- one\n\n```ts\nx = 1\n```\n\nend'),
  );
  expect(server.posts[0]?.content).toEqual({
    zh_cn: {
      content: [
        [{ tag: 'text', text: 'Head', style: ['bold'] }],
        [{ tag: 'text', text: ' ' }],
        [
          { tag: 'text', text: 'bold ', style: ['bold'] },
          { tag: 'text', text: 'both', style: ['bold', 'italic'] },
          { tag: 'text', text: ' ' },
          { tag: 'a', text: 'site', href: 'https://a.b/?c=1' },
          { tag: 'text', text: ' <at user_id="all">x</at>' },
        ],
        [{ tag: 'text', text: ' ' }],
        [{ tag: 'text', text: '• one' }],
        [{ tag: 'text', text: ' ' }],
        [{ tag: 'code_block', text: 'x = 1', language: 'TS' }],
        [{ tag: 'text', text: ' ' }],
        [{ tag: 'text', text: 'end' }],
      ],
    },
  });
});

test('OUT-2 what Feishu cannot read is sent once more as plain text, in which no tag acts', async () => {
  const { server, send } = await started();
  server.fail(feishuFault.badContent());
  expect(await send(row('**all** <at user_id="all">x</at>'))).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts).toMatchObject([{ type: 'text', text: 'all <\u200bat user_id="all">x</at>' }]);
  server.fail(feishuFault.badContent(), feishuFault.badContent());
  expect(await send(row('x'))).toMatchObject([{ kind: 'refused' }]);
  expect(server.calls).toHaveLength(4);
});

test('TU-7 a question with choices is a card; its buttons bring data, topic and kind of chat back', async () => {
  const { server, send } = await started();
  const buttons = [{ text: 'Allow', data: '/approve ABC234 yes' }];
  await send(row('May I `rm *`?', { target: { ...target, chatType: 'direct' }, buttons }));
  expect(server.posts).toMatchObject([
    {
      type: 'interactive',
      text: 'May I rm &#42;?',
      buttons: [{ text: 'Allow', value: { turnpike: { data: '/approve ABC234 yes', direct: true } } }],
    },
  ]);
});

test('OUT-2 texts are put and cards are patched, whichever the message turns out to be; too long a text is refused', async () => {
  const { server, send } = await started();
  const buttons = [{ text: 'Yes', data: 'yes' }];
  await send(row('text'));
  await send(row('card', { buttons }));
  await send(row('text 2', { action: { do: 'edit', message: 'om_out1' } }));
  const edited = await send(row('card 2', { action: { do: 'edit', message: 'om_out2' } }));
  expect(edited).toEqual([{ kind: 'sent', platformId: 'om_out2' }]);
  expect(server.posts.map(({ type, text }) => [type, text])).toEqual([
    ['post', 'text 2'],
    ['interactive', 'card 2'],
  ]);
  expect(await send(row('x'.repeat(40_000), { action: { do: 'edit', message: 'om_out1' } }))).toMatchObject([
    { kind: 'refused' },
  ]);
});

test('OUT-2 deleting twice is done; reactions are set by name and taken back, those of others stay', async () => {
  const { server, send } = await started();
  await send(row('x'));
  const act = (action: OutboxRow['action']) => send(row('', action ? { action } : {}));
  expect(await act({ do: 'react', message: 'om_out1', emoji: '👍🏽' })).toMatchObject([{ kind: 'sent' }]);
  expect(await act({ do: 'react', message: 'om_out1', emoji: 'Fire' })).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts[0]?.reactions).toEqual(['THUMBSUP', 'Fire']);
  expect(await act({ do: 'react', message: 'om_out1', emoji: null })).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts[0]?.reactions).toEqual([]);
  expect(await act({ do: 'react', message: 'om_out1', emoji: '🦕' })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('👍') },
  ]);
  const deletion = { do: 'delete', message: 'om_out1' } as const;
  expect([await act(deletion), await act(deletion)]).toMatchObject([[{ kind: 'sent' }], [{ kind: 'sent' }]]);
});

test('OUT-6 a file is fetched and uploaded; what cannot be fetched is refused or tried again, and nothing is sent', async () => {
  const host = await startScriptedServer({
    record: () => () => undefined,
    answer: () => ({ status: 200, headers: { 'content-type': 'image/png' }, body: 'png' }),
  });
  onTestFinished(() => host.close());
  const { server, send } = await started({}, { trustedOrigins: [host.url] });
  const image = { type: 'image' as const, url: `${host.url}/a.png`, caption: 'look' };
  const sent = await send(row('before', { media: [image, { type: 'file', url: `${host.url}/b.pdf` }] }));
  expect(sent.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent', 'sent']);
  expect(server.posts.map(({ type, text }) => `${type} ${text}`)).toEqual(['post before', 'image ', 'post look', 'file ']);
  host.fail({ kind: 'answer', status: 404 }, { kind: 'answer', status: 503 });
  const sendImage = (url: string) => send(row('', { media: [{ type: 'image', url }] }));
  expect(await sendImage(image.url)).toMatchObject([{ kind: 'refused' }]);
  expect(await sendImage(image.url)).toMatchObject([{ kind: 'retry' }]);
  expect(await sendImage('https://127.0.0.1/a.png')).toMatchObject([{ kind: 'refused' }]);
  expect(server.posts).toHaveLength(4);
});

test('OUT-6 what somebody sent is fetched by its message and key, within its bound', async () => {
  const { server, account } = await started();
  server.files.set('om_1/img_1', { mime: 'image/png', bytes: 'x'.repeat(100) });
  const fetched = (maxBytes: number, ref = 'om_1/img_1') =>
    account.outbound.download?.({ type: 'image', ref }, { maxBytes, timeoutMs: 5_000 }, new AbortController().signal);
  expect(await fetched(100)).toMatchObject({ bytes: Buffer.from('x'.repeat(100)), mime: 'image/png' });
  const refused = { code: 'media_refused' };
  await expect(fetched(99)).rejects.toMatchObject(refused);
  await expect(fetched(100, 'om_1/none')).rejects.toMatchObject(refused);
  await expect(fetched(100, 'img_1')).rejects.toMatchObject(refused);
});
