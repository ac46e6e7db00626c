import { expect, onTestFinished, test } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { channelContract, rowOf, sendAll, sendTo } from '../../../test/contract-kit.js';
import { startWhatsAppServer, whatsappFault } from '../../../test/fakes/whatsapp-server.js';
import { posted, requestsOf } from '../../../test/fixtures-of.js';
import type { SendContext } from '../channel-port.js';
import { whatsappAccount, type WhatsAppAccountOptions } from './whatsapp-account.js';

const token = 'a-token-of-a-system-user';
const number = '200000000000001';
const target: Target = { channel: 'whatsapp', account: 'acct1', conversation: '15550100077' };
const DAY = 86_400_000;

async function start(more: Partial<WhatsAppAccountOptions> = {}) {
  const server = await startWhatsAppServer({ token, number });
  const secrets = { accessToken: token, appSecret: 'wa-test-app-secret', verifyToken: 'wa-verify-0001' };
  const account = whatsappAccount({ account: 'acct1', phoneNumberId: number, apiRoot: server.url, ...secrets, ...more });
  return { server, account };
}

async function started(more: Partial<WhatsAppAccountOptions> = {}) {
  const made = await start(more);
  onTestFinished(() => made.server.close());
  const send = (row: OutboxRow, context: Partial<SendContext> = {}) => sendAll(made.account, row, context);
  return { ...made, send };
}

channelContract('whatsapp', { webhook: true, http: true }, async () => {
  const { server, account } = await start();
  const [genuine] = requestsOf('whatsapp');
  if (!genuine) throw new Error('no fixture');
  return {
    account,
    target,
    inbound: {
      genuine,
      proof: 'x-hub-signature-256',
      signsBody: true,
      fixtures: requestsOf('whatsapp'),
      unknown: posted(
        Buffer.from('{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"novelty","value":{}}]}]}'),
      ),
      skew: 'no time is signed',
    },
    wire: {
      fail: server.fail,
      arrived: () => server.calls.length,
      answers: [
        {
          says: 'pair limit, which is a 400 without Retry-After',
          fault: whatsappFault.pairLimit(),
          outcome: 'retry',
          floorMs: 6000,
        },
        { says: 'throughput', fault: whatsappFault.throughput(), outcome: 'retry', floorMs: 1000 },
        { says: 'limit of the app', fault: whatsappFault.appLimit(), outcome: 'retry', floorMs: 30_000 },
        { says: 'unavailable', fault: whatsappFault.unavailable(), outcome: 'retry' },
        { says: 'something went wrong', fault: whatsappFault.somethingWrong(), outcome: 'retry' },
        { says: 'unknown error', fault: whatsappFault.unknownError(), outcome: 'unknown' },
        { says: 'window closed', fault: whatsappFault.windowClosed(), outcome: 'refused' },
        { says: 'undeliverable', fault: whatsappFault.undeliverable(), outcome: 'refused' },
        { says: 'token expired', fault: whatsappFault.tokenExpired(), outcome: 'refused' },
        ...[500, 502, 504].map((status) => ({
          says: `bare ${status}`,
          fault: whatsappFault.bare(status),
          outcome: 'unknown' as const,
        })),
        { says: 'bare 503', fault: whatsappFault.bare(503), outcome: 'retry' },
        { says: 'bare 429', fault: whatsappFault.bare(429), outcome: 'retry' },
        { says: 'bare 404', fault: whatsappFault.bare(404), outcome: 'refused' },
        {
          says: 'redirect',
          fault: { kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:9/' } },
          outcome: 'refused',
        },
        { says: 'a 200 without an id', fault: { kind: 'answer', status: 200, body: '{}' }, outcome: 'unknown' },
      ],
    },
    close: server.close,
  };
});

test('OUT-1 a limit of the pair pauses the pair, one of the number the number', async () => {
  const { server, account } = await started();
  server.fail(whatsappFault.pairLimit(), whatsappFault.throughput());
  expect(await sendTo(account, target)).toMatchObject({ kind: 'retry', scope: 'pair' });
  expect(await sendTo(account, target)).toMatchObject({ kind: 'retry', scope: 'number' });
  expect(account.outbound.rates?.(target)).toEqual([
    { scope: 'number', key: '', count: 80, perMs: 1000 },
    { scope: 'pair', key: '15550100077', count: 1, perMs: 6000 },
  ]);
});

test('OUT-2 text is formatted, quotes what it answers once, and carries the key of its send', async () => {
  const { server, send } = await started();
  const row = rowOf({ ...target, replyTo: 'wamid.IN1' }, `**bold** and \`code\`\n\n${'word '.repeat(1000)}`);
  await send(row);
  expect(server.posts[0]?.text.startsWith('*bold* and `code`')).toBe(true);
  expect(server.posts.map(({ quotes }) => quotes)).toEqual(['wamid.IN1', undefined]);
  expect(server.calls.map(({ body }) => body['biz_opaque_callback_data'])).toEqual([`${row.id}/0`, `${row.id}/1`]);
});

test('OUT-2 media goes by its link, a short text under the first, a long one before; a voice has no caption', async () => {
  const { server, send } = await started();
  const image = { type: 'image' as const, url: 'https://example.com/a.jpg' };
  const voice = { type: 'audio' as const, url: 'https://example.com/a.ogg', caption: 'hear' };
  const file = { type: 'file' as const, url: 'https://example.com/a.pdf', name: 'a.pdf' };
  await send({ ...rowOf(target, 'look'), media: [image, file] });
  await send({ ...rowOf(target, 'long '.repeat(300)), media: [image] });
  await send({ ...rowOf(target, ''), media: [voice] });
  expect(server.posts.map(({ type, text }) => [type, text.slice(0, 4)])).toEqual([
    ['image', 'look'],
    ['document', ''],
    ['text', 'long'],
    ['image', ''],
    ['audio', ''],
    ['text', 'hear'],
  ]);
  expect(server.posts[1]?.message).toMatchObject({ document: { link: file.url, filename: 'a.pdf' } });
});

test('TU-7 up to three short choices are buttons under the last part, more or longer ones a list', async () => {
  const { server, send } = await started();
  const choice = (text: string) => ({ text, data: `/pick ${text}`.slice(0, 64) });
  await send({ ...rowOf(target, 'word '.repeat(900)), buttons: ['Allow', 'Refuse'].map(choice) });
  await send({ ...rowOf(target, 'Which?'), buttons: ['1', '2', '3', '4'].map(choice) });
  await send({ ...rowOf(target, 'Which?'), buttons: [choice('Take the train on the day after tomorrow 👨‍👩‍👧')] });
  const asked = server.posts.filter(({ type }) => type === 'interactive').map(({ message }) => message);
  expect(server.posts.map(({ type }) => type)).toEqual(['text', 'interactive', 'interactive', 'interactive']);
  expect(asked).toMatchObject([
    { interactive: { type: 'button', action: { buttons: [{ reply: { title: 'Allow', id: '/pick Allow' } }, {}] } } },
    { interactive: { type: 'list', action: { sections: [{ rows: [{ title: '1' }, {}, {}, {}] }] } } },
    { interactive: { type: 'list', action: { sections: [{ rows: [{ title: 'Take the train on the d…' }] }] } } },
  ]);
});

test('OUT-2 a reaction is set and taken back; an edit or a deletion is refused without a call', async () => {
  const { server, send } = await started();
  for (const emoji of ['👍', null]) await send({ ...rowOf(target, ''), action: { do: 'react', message: 'wamid.IN1', emoji } });
  expect(server.posts.map(({ message }) => message)).toMatchObject([
    { reaction: { message_id: 'wamid.IN1', emoji: '👍' } },
    { reaction: { message_id: 'wamid.IN1', emoji: '' } },
  ]);
  const [outcome] = await send({ ...rowOf(target, 'new'), action: { do: 'edit', message: 'wamid.OUT1' } });
  expect(outcome).toEqual({ kind: 'refused', reason: 'WhatsApp cannot edit messages: send a new message that says it' });
  expect(server.calls).toHaveLength(2);
});

test('OUT-1 outside the 24 hours nothing is sent in vain: without a template it is refused, unasked', async () => {
  const { server, send } = await started();
  const [closed] = await send(rowOf(target, 'late'), { sinceInboundMs: DAY });
  expect(closed).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/^131047 .*no template/) });
  expect(server.calls).toEqual([]);
  const [open] = await send(rowOf(target, 'in time'), { sinceInboundMs: DAY - 1 });
  expect(open).toMatchObject({ kind: 'sent' });
});

test('OUT-1 outside the 24 hours the template goes out once, with the begin of the text, also when only WhatsApp knew', async () => {
  const { server, send } = await started({ template: { name: 'news', language: 'en', withText: true } });
  const long = rowOf(target, `line\n\n\tone     two ${'word '.repeat(1000)}`);
  expect((await send(long, { sinceInboundMs: DAY })).map(({ kind }) => kind)).toEqual(['sent', 'refused']);
  server.fail(whatsappFault.windowClosed());
  expect((await send(rowOf(target, 'hello'))).map(({ kind }) => kind)).toEqual(['sent']);
  expect(server.posts.map(({ type, text }) => [type, text.slice(0, 12)])).toEqual([
    ['template', 'line one two'],
    ['template', 'hello'],
  ]);
});

test('QU-6 the sign of an answer marks the message it answers as read; without one there is nothing to show', async () => {
  const { server, account } = await started();
  await account.outbound.typing?.show({ ...target, replyTo: 'wamid.IN1' }, 1_000);
  await account.outbound.typing?.show(target, 1_000);
  expect(server.typing).toEqual(['wamid.IN1']);
});

test('OUT-1 the access token is in no outcome; a conversation that is no number is refused unasked', async () => {
  const { server, account } = await started();
  server.fail({ kind: 'answer', status: 400, body: JSON.stringify({ error: { code: 100, message: `bad ${token}` } }) });
  expect(JSON.stringify(await sendTo(account, target))).not.toContain(token);
  expect((await sendTo(account, { ...target, conversation: '../1' })).kind).toBe('refused');
  expect(server.calls).toHaveLength(1);
});

test('OUT-6 what somebody sent is fetched by its id, within its bound', async () => {
  const { server, account } = await started();
  server.media.set('300000000000001', { mime: 'image/jpeg', bytes: 'x'.repeat(1000) });
  const media = { type: 'image' as const, ref: '300000000000001' };
  const fetched = (maxBytes: number, ref = media.ref) =>
    account.outbound.download?.({ ...media, ref }, { maxBytes, timeoutMs: 5_000 }, new AbortController().signal);
  expect(await fetched(1000)).toEqual({ bytes: Buffer.from('x'.repeat(1000)), mime: 'image/jpeg' });
  await expect(fetched(999)).rejects.toMatchObject({ code: 'media_refused' });
  await expect(fetched(1000, '404')).rejects.toMatchObject({ code: 'media_refused' });
  await expect(fetched(1000, '../me')).rejects.toMatchObject({ code: 'media_refused' });
});
