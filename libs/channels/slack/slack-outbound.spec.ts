import { describe, expect, onTestFinished, test } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { TerminalError } from '#kernel';
import { channelContract, rowOf, sendAll, sendTo, sentId } from '../../../test/contract-kit.js';
import { previewContract } from '../../../test/contract-preview.js';
import { slackFault, startSlackServer } from '../../../test/fakes/slack-server.js';
import { fixturesOf, posted, requestsOf } from '../../../test/fixtures-of.js';
import { slackAccount } from './slack-account.js';

const botToken = 'xoxb-1-very-secret';
const signingSecret = '0123456789abcdef0123456789abcdef';
const target: Target = { channel: 'slack', account: 'acct1', conversation: 'C0EXAMPLE' };

const SIGNED_AT = 1764547200_000;

function inboundAt(now: number) {
  const { inbound } = slackAccount(
    { account: 'acct1', botToken, signingSecret },
    { clock: { now: () => now, monotonic: () => 0 } },
  );
  if (!inbound) throw new Error('Slack has an inbound half');
  return inbound;
}

async function start() {
  const server = await startSlackServer({ token: botToken });
  const clock = { now: () => SIGNED_AT, monotonic: () => performance.now() };
  const account = slackAccount({ account: 'acct1', botToken, signingSecret, apiRoot: server.url }, { clock });
  return { server, account };
}

async function started() {
  const made = await start();
  onTestFinished(() => made.server.close());
  const sendRow = (row: Partial<OutboxRow>, to: Target = target) => sendAll(made.account, { ...rowOf(to, ''), ...row });
  const post = async (text: string) => sentId(await sendRow({ text }));
  return { ...made, sendRow, post };
}

channelContract('slack', { webhook: true, http: true, preview: true }, async () => {
  const { server, account } = await start();
  const [fixture] = fixturesOf('slack');
  if (!fixture) throw new Error('no fixture');
  return {
    account,
    target,
    inbound: {
      genuine: fixture,
      proof: 'x-slack-signature',
      signsBody: true,
      fixtures: requestsOf('slack'),
      unknown: posted(Buffer.from('{"type":"event_callback","event":{"type":"novelty"}}')),
      skew: { aheadMs: 300_000, behindMs: 300_000, account: (ms) => inboundAt(SIGNED_AT + ms) },
    },
    wire: {
      fail: server.fail,
      arrived: () => server.calls.length,
      answers: [
        { says: 'ratelimited', fault: slackFault.rateLimited(7), outcome: 'retry', floorMs: 7000 },
        {
          says: 'a bare 429',
          fault: { kind: 'answer', status: 429, headers: { 'retry-after': '3' } },
          outcome: 'retry',
          floorMs: 3000,
        },
        ...['ratelimited', 'service_unavailable', 'request_timeout', 'team_added_to_org'].map((error) => ({
          says: error,
          fault: slackFault.error(error),
          outcome: 'retry' as const,
        })),
        ...['internal_error', 'fatal_error'].map((error) => ({
          says: error,
          fault: slackFault.error(error),
          outcome: 'unknown' as const,
        })),
        ...[
          'invalid_auth',
          'token_revoked',
          'channel_not_found',
          'not_in_channel',
          'is_archived',
          'msg_too_long',
          'a_new_error',
        ].map((error) => ({ says: error, fault: slackFault.error(error), outcome: 'refused' as const })),
        ...[500, 502, 504].map((status) => ({
          says: `bare ${status}`,
          fault: slackFault.bareServerError(status),
          outcome: 'unknown' as const,
        })),
        { says: 'bare 503', fault: slackFault.bareServerError(503), outcome: 'retry' },
        { says: 'a 200 that is no answer', fault: { kind: 'answer', status: 200, body: 'ok' }, outcome: 'unknown' },
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

describe('in the thread of a direct message', () => {
  const thread: Target = { ...target, conversation: 'D0EXAMPLE', thread: '1764547000.000100' };
  const answers = [{ fault: slackFault.rateLimited(7), outcome: 'retry' as const, floorMs: 7000 }];
  const dm = async () => {
    const { server, account } = await started();
    return { account, target: thread, wire: { fail: server.fail, arrived: () => server.calls.length, answers } };
  };
  previewContract(dm);

  test('OUT-3 what is still streamed is stopped before it is deleted', async () => {
    const { server, account } = await started();
    const update = { id: 'm0~0', text: 'Once upon', recipient: 'U1', hasSent: false };
    await account.outbound.preview?.show(thread, update, 5_000, new AbortController().signal);
    const [post] = server.posts;
    expect(post).toMatchObject({ text: 'Once upon', isStreamed: true });
    const outcomes = await sendAll(account, { ...rowOf(thread, ''), action: { do: 'delete', message: post?.ts ?? '' } });
    expect(outcomes).toEqual([{ kind: 'sent', platformId: post?.ts }]);
    expect(server.posts).toEqual([]);
  });
});

test('B049 OUT-2 every chunk of an answer goes into the thread it was asked in, by its root', async () => {
  const { server, sendRow } = await started();
  const outcomes = await sendRow({ text: 'word '.repeat(2000) }, { ...target, thread: '1764547000.000100' });
  expect(outcomes.length).toBeGreaterThan(1);
  expect(server.posts.map(({ channel, threadTs }) => [channel, threadTs])).toEqual(
    outcomes.map(() => ['C0EXAMPLE', '1764547000.000100']),
  );
});

test('OUT-2 a reply is a thread on the message it answers; in a thread it stays there; what is no ts is refused', async () => {
  const { server, account } = await started();
  await sendTo(account, { ...target, replyTo: '1764547000.000200' });
  await sendTo(account, { ...target, thread: '1764547000.000100', replyTo: '1764547000.000200' });
  expect(server.posts.map(({ threadTs }) => threadTs)).toEqual(['1764547000.000200', '1764547000.000100']);
  expect(await sendTo(account, { ...target, thread: 'main' })).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining('"main"'),
  });
});

test('OUT-2 nobody can be made to call a whole channel; one person can be mentioned', async () => {
  const { server, sendRow } = await started();
  await sendRow({ text: 'Hi <!channel> <!here> <!subteam^S1> <@U0ALEX> `<@U0SAM>` <script> & [x](https://a.b/?c=1&d=|) > q' });
  const { args } = server.calls[0] ?? {};
  expect(args?.['text']).toContain('<@U0ALEX>');
  expect(args?.['text']).not.toMatch(/<!|<@U0SAM>|<script>/);
  expect(server.posts[0]?.text).toContain('<!channel> <!here>');
});

test('OUT-2 buttons stand below the end of a long text, and what is pressed is known again', async () => {
  const { server, sendRow } = await started();
  const buttons = [
    { text: 'Allow', data: '/approve ABC234 yes' },
    { text: 'x'.repeat(200), data: '/approve ABC234 no' },
  ];
  await sendRow({ text: `${'word '.repeat(800)} & end`, buttons });
  expect(server.posts.map((post) => post.buttons.map(({ value }) => value))).toEqual([[], buttons.map(({ data }) => data)]);
  expect(server.posts.at(-1)?.text).toMatch(/& end$/);
  expect(server.posts.at(-1)?.buttons.map(({ actionId }) => actionId)).toEqual(['turnpike:0', 'turnpike:1']);
});

test('OUT-2 an edit takes the place of a message, as often as it is made; too long a one is refused', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('first');
  const edit = { action: { do: 'edit' as const, message }, text: `**汉**字 & ${'字'.repeat(2500)}` };
  expect(await sendRow(edit)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(await sendRow(edit)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts).toMatchObject([{ ts: message, edited: true, text: expect.stringContaining('字 & 字') }]);
  expect(await sendRow({ ...edit, text: 'word '.repeat(2000) })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('4 messages') },
  ]);
  expect(await sendRow({ ...edit, action: { do: 'edit', message: '1.000001' } })).toMatchObject([{ kind: 'refused' }]);
});

test('OUT-2 a deletion made twice is done once', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('gone soon');
  const deletion = { action: { do: 'delete' as const, message } };
  expect(await sendRow(deletion)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(await sendRow(deletion)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts).toEqual([]);
});

test('OUT-2 reactions: by sign or name, made twice, taken back', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('nice');
  const react = (emoji: string | null) => sendRow({ action: { do: 'react', message, emoji } });
  for (const emoji of ['👍🏽', ':eyes:', '❤️', ':eyes:'])
    expect(await react(emoji)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts[0]?.reactions).toEqual(['+1', 'eyes', 'heart']);
  expect(await react('🦖')).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('🦖') }]);
  expect(await react(null)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts[0]?.reactions).toEqual([]);
});

test('OUT-6 a file is fetched, uploaded and shown in the thread, with its caption; it can be deleted', async () => {
  const { server, sendRow } = await started();
  server.uploads.set('source.csv', { name: 'source.csv', mimetype: 'text/csv', bytes: 'a,b' });
  const media = [
    { type: 'file' as const, url: `${server.url}/public/source.csv`, name: 'report.csv', caption: 'The **report**' },
  ];
  const outcomes = await sendRow({ text: 'Here:', media }, { ...target, thread: '1764547000.000100' });
  expect(server.posts).toMatchObject([
    { text: 'Here:', files: [] },
    { text: 'The report', threadTs: '1764547000.000100', files: [{ name: 'report.csv', bytes: Buffer.from('a,b') }] },
  ]);
  const file = outcomes[1];
  if (file?.kind !== 'sent') throw new Error('not sent');
  expect(await sendRow({ action: { do: 'edit', message: file.platformId }, text: 'x' })).toMatchObject([{ kind: 'refused' }]);
  expect(await sendRow({ action: { do: 'delete', message: file.platformId } })).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts).toHaveLength(1);
});

test('OUT-1 OUT-6 until the last of its calls an upload has shown nothing', async () => {
  const { server, sendRow } = await started();
  server.uploads.set('a.txt', { name: 'a.txt', mimetype: 'text/plain', bytes: 'a' });
  const media = [{ type: 'file' as const, url: `${server.url}/public/a.txt` }];
  const pass = { kind: 'slow' as const, ms: 0 };
  const failedAt = async (call: number) => {
    server.fail(...Array.from({ length: call }, () => pass), { kind: 'reset' });
    const [outcome] = await sendRow({ media });
    return outcome?.kind;
  };
  expect([await failedAt(0), await failedAt(1), await failedAt(2), await failedAt(3)]).toEqual([
    'retry',
    'retry',
    'retry',
    'unknown',
  ]);
  expect(await sendRow({ media: [{ type: 'file', url: `${server.url}/public/none` }] })).toMatchObject([{ kind: 'refused' }]);
  expect(await sendRow({ media: [{ type: 'file', url: 'https://169.254.169.254/latest/meta-data' }] })).toMatchObject([
    { kind: 'refused' },
  ]);
});

test('OUT-6 what somebody sent is fetched with the token of the bot, within bounds', async () => {
  const { server, account } = await started();
  server.uploads.set('F0EXAMPLE', { name: 'report.csv', mimetype: 'text/csv', bytes: 'a,b,c' });
  const get = (ref: string, maxBytes = 1000) =>
    account.outbound.download?.({ type: 'file', ref }, { maxBytes, timeoutMs: 2000 }, new AbortController().signal);
  expect(await get('F0EXAMPLE')).toEqual({ bytes: Buffer.from('a,b,c'), mime: 'text/csv', name: 'report.csv' });
  expect(server.calls.map(({ method, token }) => [method, token])).toEqual([
    ['files.info', botToken],
    ['files/F0EXAMPLE', botToken],
  ]);
  await expect(get('F0EXAMPLE', 3)).rejects.toThrow(TerminalError);
  await expect(get('F0NONE')).rejects.toThrow('file_not_found');
});

test('OUT-1 one message a second in a channel, all its threads together', async () => {
  const { account } = await started();
  expect(account.outbound.rates?.({ ...target, thread: '1.000001' })).toEqual([
    { scope: 'chat', key: 'C0EXAMPLE', count: 1, perMs: 1000 },
  ]);
});
