import { describe, expect, onTestFinished, test } from 'vitest';
import type { Target } from '#contracts';
import { channelContract, rowOf, sendAll, sendTo } from '../../../test/contract-kit.js';
import { previewContract } from '../../../test/contract-preview.js';
import { startTelegramServer, telegramFault } from '../../../test/fakes/telegram-server.js';
import { proves } from '../../../test/proves.js';
import { fixturesOf, requestsOf } from '../../../test/fixtures-of.js';
import { telegramAccount } from './telegram-account.js';

const botToken = '600001:very-secret';
const secretToken = 'tg-test-secret_0001';
const target: Target = { channel: 'telegram', account: 'acct1', conversation: '700001' };

async function start() {
  const server = await startTelegramServer({ token: botToken });
  const account = telegramAccount({ account: 'acct1', botToken, secretToken, apiRoot: server.url });
  return { server, account };
}

async function started() {
  const made = await start();
  onTestFinished(() => made.server.close());
  return made;
}

channelContract('telegram', { webhook: true, http: true, preview: true }, async () => {
  const { server, account } = await start();
  const [fixture] = fixturesOf('telegram');
  if (!fixture) throw new Error('no fixture');
  return {
    account,
    target,
    inbound: {
      genuine: fixture,
      proof: 'x-telegram-bot-api-secret-token',
      signsBody: false,
      fixtures: requestsOf('telegram'),
      unknown: { ...fixture, body: Buffer.from('{"update_id":1,"purchased_paid_media":{}}') },
      skew: 'no time is signed',
    },
    wire: {
      fail: server.fail,
      arrived: () => server.calls.length,
      answers: [
        { says: 'flood wait', fault: telegramFault.floodWait(7), outcome: 'retry', floorMs: 7000 },
        {
          says: 'a bare 429',
          fault: { kind: 'answer', status: 429, headers: { 'retry-after': '3' } },
          outcome: 'retry',
          floorMs: 3000,
        },
        { says: 'server error', fault: telegramFault.serverError(), outcome: 'retry' },
        ...[500, 502, 504].map((status) => ({
          says: `bare ${status}`,
          fault: telegramFault.bareServerError(status),
          outcome: 'unknown' as const,
        })),
        { says: 'bare 503', fault: telegramFault.bareServerError(503), outcome: 'retry' },
        { says: 'a 200 that is no Bot API answer', fault: { kind: 'answer', status: 200, body: 'ok' }, outcome: 'unknown' },
        { says: 'chat not found', fault: telegramFault.chatNotFound(), outcome: 'refused' },
        { says: 'blocked', fault: telegramFault.blocked(), outcome: 'refused' },
        { says: 'unauthorized', fault: telegramFault.unauthorized(), outcome: 'refused' },
        { says: 'bare 404', fault: { kind: 'answer', status: 404 }, outcome: 'refused' },
        {
          says: 'redirect',
          fault: { kind: 'answer', status: 302, headers: { location: 'http://127.0.0.1:9/' } },
          outcome: 'refused',
        },
      ],
    },
    close: server.close,
  };
});

describe('in a group', () => {
  const answers = [{ fault: telegramFault.floodWait(7), outcome: 'retry' as const, floorMs: 7000 }];
  previewContract(async () => {
    const { server, account } = await started();
    const wire = { fail: server.fail, arrived: () => server.calls.length, answers };
    return { account, target: { ...target, conversation: '-100200' }, wire };
  });
});

test('OUT-2 T4 a topic and a quoted message reach the wire; General is sent without a thread', async () => {
  const { server, account } = await started();
  const forum = { ...target, conversation: '-1002000000001' };
  await sendTo(account, { ...forum, thread: '55', replyTo: '301' });
  await sendTo(account, { ...forum, thread: '1' });
  await sendTo(account, forum);
  expect(server.posts.map(({ chatId, threadId, replyTo }) => ({ chatId, threadId, replyTo }))).toEqual([
    { chatId: forum.conversation, threadId: 55, replyTo: 301 },
    { chatId: forum.conversation, threadId: undefined, replyTo: undefined },
    { chatId: forum.conversation, threadId: undefined, replyTo: undefined },
  ]);
});

test('B006 a send ends only with its answer, so a second one cannot overtake it; another chat is not held up', async () => {
  const { server, account } = await started();
  server.fail({ kind: 'slow', ms: 300 });
  const first = sendTo(account, target, { text: 'A' });
  await expect.poll(() => server.calls.length).toBe(1);
  await sendTo(account, { ...target, conversation: '700002' }, { text: 'other' });
  expect(server.calls[0]?.answered).toBe('waiting');
  await first;
  await sendTo(account, target, { text: 'B' });
  const [a, , b] = server.calls;
  expect(b?.at).toBeGreaterThanOrEqual(a?.answeredAt ?? Infinity);
  expect((await server.nextMessages('700001', 2)).map(({ text }) => text)).toEqual(['A', 'B']);
});

test('OUT-2 a thread that is no topic id is refused, not sent to another topic', async () => {
  const { server, account } = await started();
  expect(await sendTo(account, { ...target, thread: 'main' })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('"main"'),
  });
  expect(server.calls).toEqual([]);
});

const bare = (text: string) => text.replaceAll(/[\s#]|```\w*/g, '');

proves('B027', 'a heading, a paragraph, 4,500 characters of code and a closing line: taken whole, in order', async () => {
  const { server, account } = await started();
  const code = Array.from({ length: 150 }, (_, line) => `  const value${line} = compute(a);`).join('\n');
  const paragraph = 'A sentence of forty characters, or so it is. '.repeat(67);
  const text = `# Report\n\n${paragraph}\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat is all of it.`;
  expect(text.length).toBeGreaterThan(7500);
  const buttons = [{ text: 'More', data: 'more' }];
  const outcomes = await sendAll(account, { ...rowOf(target, text), buttons });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
  expect(server.posts.map((post) => bare(post.text)).join('')).toBe(bare(text));
  expect(server.posts.map((post) => post.buttons.length)).toEqual([0, 0, 1]);
  for (const { text: html } of server.calls.filter((call) => call.text.includes('compute(a)')))
    expect(html).toMatch(/<pre><code class="language-ts">[^]*<\/code><\/pre>/);
});

proves(
  'B074',
  'a cut inside bold is no broken chunk; what is refused all the same is plain, once, and only for that reason',
  async () => {
    const { server, account } = await started();
    const text = `${'x'.repeat(4079)} **bold across the cut, forty characters.** _unbalanced [link(`;
    expect((await sendAll(account, rowOf(target, text))).map(({ kind }) => kind)).toEqual(['sent', 'sent']);
    expect(server.calls.map(({ parseMode, answered }) => [parseMode, answered])).toEqual([
      ['HTML', 200],
      ['HTML', 200],
    ]);
    expect(server.posts.map((post) => bare(post.text)).join('')).toBe(bare(text.replaceAll('**', '')));
    server.fail(telegramFault.cannotParse());
    await sendAll(account, rowOf(target, '**once**'));
    expect(server.posts.filter((post) => post.text === 'once')).toHaveLength(1);
    const before = server.calls.length;
    server.fail(telegramFault.chatNotFound());
    expect(await sendAll(account, rowOf(target, '**not**'))).toMatchObject([{ kind: 'refused' }]);
    expect(server.calls).toHaveLength(before + 1);
  },
);

proves('B113', 'a wait of 401 seconds is a wait, and only the status 401 is a bad token', async () => {
  const { server, account } = await started();
  server.fail(telegramFault.floodWait(401), telegramFault.refused('chat says 401 Unauthorized'), telegramFault.unauthorized());
  expect(await sendTo(account, target)).toMatchObject({ kind: 'retry', retryAfterMs: 401_000 });
  expect(await sendTo(account, target)).toEqual({ kind: 'refused', reason: '400 Bad Request: chat says 401 Unauthorized' });
  expect(await sendTo(account, target)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('bot token') });
});

test('OUT-2 markup that Telegram cannot read is sent once more as plain text', async () => {
  const { server, account } = await started();
  server.fail(telegramFault.cannotParse());
  expect((await sendTo(account, target, { text: '**bold** & more' })).kind).toBe('sent');
  expect(server.calls.map(({ parseMode, text }) => [parseMode, text])).toEqual([
    ['HTML', '<b>bold</b> &amp; more'],
    [undefined, 'bold & more'],
  ]);
  server.fail(telegramFault.cannotParse(), telegramFault.cannotParse());
  expect((await sendTo(account, target)).kind).toBe('refused');
  expect(server.calls).toHaveLength(4);
});

test('OUT-1 the bot token is in no outcome, whatever the other side says', async () => {
  const { server, account } = await started();
  const path = `/bot${botToken}/sendMessage`;
  const echo = JSON.stringify({ ok: false, error_code: 400, description: `no such path ${path}` });
  server.fail({ kind: 'answer', status: 400, body: echo }, { kind: 'answer', status: 404, body: path }, { kind: 'reset' });
  const outcomes = [await sendTo(account, target), await sendTo(account, target), await sendTo(account, target)];
  await server.close();
  outcomes.push(await sendTo(account, target));
  expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'unknown', 'retry']);
  expect(JSON.stringify(outcomes)).not.toContain('very-secret');
  expect(outcomes[0]).toMatchObject({ reason: expect.stringContaining('<token>') });
});

test('OUT-2 a long answer goes out whole: every chunk is taken by Telegram, only the first quotes', async () => {
  const { server, account } = await started();
  const code = Array.from({ length: 400 }, (_, line) => `const line${line} = "<&>";`).join('\n');
  const text = `Here it is, **all** of it:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone. ${'汉字😀'.repeat(2000)}`;
  const row = rowOf({ ...target, replyTo: '12' }, text);
  const chunks = account.outbound.render(row);
  expect(chunks.length).toBeGreaterThan(3);
  for (const [index, chunk] of chunks.entries()) {
    const context = { idempotencyKey: `${row.id}/${index}`, row, timeoutMs: 5000 };
    expect((await account.outbound.send(row.target, chunk, context, new AbortController().signal)).kind).toBe('sent');
  }
  expect(server.posts.map((post) => post.text)).toEqual(chunks.map((chunk) => chunk.text));
  expect(server.posts.map((post) => post.replyTo)).toEqual([12, ...chunks.slice(1).map(() => undefined)]);
  expect(server.calls.filter((call) => call.text.includes('<pre><code class="language-ts">')).length).toBeGreaterThan(1);
});

test('TU-7 buttons are an inline keyboard under the last part of a message, also where its formatting was refused', async () => {
  const { server, account } = await started();
  const buttons = [
    { text: 'Allow', data: '/approve ABC234 yes' },
    { text: 'Refuse', data: '/approve ABC234 no' },
  ];
  const row = { ...rowOf(target, `${'long '.repeat(1000)}end`), buttons };
  for (const chunk of account.outbound.render(row)) {
    server.fail(telegramFault.cannotParse());
    await account.outbound.send(target, chunk, { idempotencyKey: 'k', row, timeoutMs: 5000 }, new AbortController().signal);
  }
  expect(server.posts.map(({ buttons: shown }) => shown)).toEqual([[], buttons]);
});
