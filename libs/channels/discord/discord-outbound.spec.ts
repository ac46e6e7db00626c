import { expect, onTestFinished, test } from 'vitest';
import type { OutboxRow, Target } from '#contracts';
import { channelContract, rowOf, sendAll, sendTo, sentId } from '../../../test/contract-kit.js';
import { discordFault, startDiscordServer } from '../../../test/fakes/discord-server.js';
import { fixturesOf, posted, requestsOf } from '../../../test/fixtures-of.js';
import { discordAccount } from './discord-account.js';

const botToken = 'a.very-secret.token';
const channel = '500000000000000001';
const target: Target = { channel: 'discord', account: 'acct1', conversation: channel };
const options = {
  account: 'acct1',
  applicationId: '100000000000000001',
  publicKey: 'd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737',
  botToken,
};

const SIGNED_AT = 1764547200_000;

function inboundAt(now: number) {
  const { inbound } = discordAccount(options, { clock: { now: () => now, monotonic: () => 0 } });
  if (!inbound) throw new Error('Discord has an inbound half');
  return inbound;
}

async function start() {
  const server = await startDiscordServer({ token: botToken });
  const clock = { now: () => SIGNED_AT, monotonic: () => performance.now() };
  const account = discordAccount({ ...options, apiRoot: server.url }, { clock });
  return { server, account };
}

async function started() {
  const made = await start();
  onTestFinished(() => made.server.close());
  const sendRow = (row: Partial<OutboxRow>, to: Target = target) => sendAll(made.account, { ...rowOf(to, ''), ...row });
  const post = async (text: string) => sentId(await sendRow({ id: `row-of-${text}`, text }));
  return { ...made, sendRow, post };
}

channelContract('discord', { webhook: true, http: true, preview: true }, async () => {
  const { server, account } = await start();
  const [fixture] = fixturesOf('discord').filter(({ name }) => name.startsWith('interaction'));
  if (!fixture) throw new Error('no fixture');
  return {
    account,
    target,
    inbound: {
      genuine: fixture,
      proof: 'x-signature-ed25519',
      signsBody: true,
      fixtures: requestsOf('discord').filter(({ name }) => name.startsWith('interaction')),
      unknown: posted(Buffer.from('{"id":"1","application_id":"1","type":99,"token":"t"}')),
      skew: { aheadMs: 300_000, behindMs: 300_000, account: (ms) => inboundAt(SIGNED_AT + ms) },
    },
    wire: {
      fail: server.fail,
      arrived: () => server.calls.length,
      answers: [
        { says: 'rate limited', fault: discordFault.rateLimited(1.2), outcome: 'retry', floorMs: 1200 },
        {
          says: 'a bare 429',
          fault: { kind: 'answer', status: 429, headers: { 'retry-after': '3' } },
          outcome: 'retry',
          floorMs: 3000,
        },
        { says: 'unknown channel', fault: discordFault.error(404, 10_003, 'Unknown Channel'), outcome: 'refused' },
        { says: 'missing permissions', fault: discordFault.error(403, 50_013, 'Missing Permissions'), outcome: 'refused' },
        {
          says: 'cannot send to this user',
          fault: discordFault.error(403, 50_007, 'Cannot send messages to this user'),
          outcome: 'refused',
        },
        { says: 'invalid form', fault: discordFault.error(400, 50_035, 'Invalid Form Body'), outcome: 'refused' },
        { says: 'unauthorized', fault: discordFault.error(401, 0, '401: Unauthorized'), outcome: 'refused' },
        ...[500, 502, 503].map((status) => ({
          says: `bare ${status}`,
          fault: discordFault.bareServerError(status),
          outcome: 'unknown' as const,
        })),
        { says: 'a 200 that is no message', fault: { kind: 'answer', status: 200, body: 'ok' }, outcome: 'unknown' },
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

test('OUT-1 a limit of the whole bot is told from that of one channel', async () => {
  const { server, account } = await started();
  server.fail(discordFault.rateLimited(2, 'global'), discordFault.rateLimited(2, 'shared'));
  expect(await sendTo(account, target)).toMatchObject({ kind: 'retry', scope: 'bot', retryAfterMs: 2000 });
  expect(await sendTo(account, target)).not.toHaveProperty('scope');
});

test('G5 a send that is made again, because nobody knew, is one message', async () => {
  const { server, account } = await started();
  server.fail({ kind: 'reset' });
  expect((await sendTo(account, target)).kind).toBe('unknown');
  expect((await sendTo(account, target)).kind).toBe('sent');
  expect(server.posts).toHaveLength(1);
});

test('OUT-2 a thread is the channel that is posted to; only the first chunk answers a message', async () => {
  const { server, sendRow, post } = await started();
  const asked = await post('question');
  await sendRow({ text: 'word '.repeat(700) }, { ...target, replyTo: asked });
  await sendRow({ id: 'other', text: 'in the thread' }, { ...target, thread: '500000000000000077' });
  expect(server.posts.map((one) => [one.channel, one.replyTo])).toEqual([
    [channel, undefined],
    [channel, asked],
    [channel, undefined],
    ['500000000000000077', undefined],
  ]);
  expect(await sendRow({ text: 'x' }, { ...target, conversation: 'general' })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('"general"') },
  ]);
});

test('OUT-2 nobody is pinged but a few people who are named', async () => {
  const { server, sendRow } = await started();
  const people = Array.from({ length: 9 }, (_, n) => `<@20000000000000000${n}>`).join(' ');
  await sendRow({ text: `@everyone @here <@&900000000000000001> ${people}` });
  expect(server.posts[0]?.pinged).toEqual([0, 1, 2, 3, 4].map((n) => `20000000000000000${n}`));
});

const slash = { ...target, replyTo: 'aW50ZXJhY3Rpb246:token/of+it' };

test('IN-2 the first message of a turn takes the place of "thinking", the others follow it in the channel', async () => {
  const { server, sendRow } = await started();
  server.defer(slash.replyTo, channel);
  await sendRow({ id: 'a', n: 1, text: 'On it.' }, slash);
  await sendRow({ id: 'b', n: 2, text: 'Done.' }, slash);
  expect(server.calls.map(({ method, path }) => [method, path.replace(/webhooks\/\d+\/[^/]+/, 'webhooks/...')])).toEqual([
    ['PATCH', '/webhooks/.../messages/@original'],
    ['POST', `/channels/${channel}/messages`],
  ]);
  expect(server.posts.map(({ content }) => content)).toEqual(['On it.', 'Done.']);
});

test('IN-2 an interaction that can be answered no more is answered in the channel', async () => {
  const { server, sendRow } = await started();
  expect(await sendRow({ text: 'late' }, slash)).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts).toMatchObject([{ channel, content: 'late' }]);
});

test('G5 an answer to an interaction that is made again is one message', async () => {
  const { server, sendRow } = await started();
  server.defer(slash.replyTo, channel);
  server.fail({ kind: 'reset' });
  expect(await sendRow({ text: 'once' }, slash)).toMatchObject([{ kind: 'unknown' }]);
  expect(await sendRow({ text: 'once' }, slash)).toMatchObject([{ kind: 'sent' }]);
  expect(server.posts).toMatchObject([{ content: 'once' }]);
});

test('OUT-2 buttons stand below the end of a long text, five in a row', async () => {
  const { server, sendRow } = await started();
  const buttons = Array.from({ length: 7 }, (_, n) => ({ text: `${n} ${'x'.repeat(100)}`, data: `/answer ABC234 ${n}` }));
  await sendRow({ text: 'word '.repeat(500), buttons });
  expect(server.posts.map((post) => post.buttons.map(({ customId }) => customId))).toEqual([[], buttons.map(({ data }) => data)]);
});

test('OUT-2 an edit takes the place of a message; too long a one is refused', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('first');
  const edit = { action: { do: 'edit' as const, message }, text: '**second**' };
  expect(await sendRow(edit)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(await sendRow(edit)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts).toMatchObject([{ id: message, content: '**second**', edited: true }]);
  expect(await sendRow({ ...edit, text: 'word '.repeat(700) })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('2 messages') },
  ]);
});

test('OUT-2 a deletion made twice is done once', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('gone soon');
  const deletion = { action: { do: 'delete' as const, message } };
  expect(await sendRow(deletion)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(await sendRow(deletion)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts).toEqual([]);
});

test('OUT-2 reactions: signs and own emoji, made twice, taken back', async () => {
  const { server, sendRow, post } = await started();
  const message = await post('nice');
  const react = (emoji: string | null) => sendRow({ action: { do: 'react', message, emoji } });
  for (const emoji of ['👍🏽', '<:party:123>', '👍🏽']) expect(await react(emoji)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts[0]?.reactions).toEqual(['👍🏽', 'party:123']);
  expect(await react('no emoji')).toMatchObject([{ kind: 'refused', reason: expect.stringContaining('Unknown Emoji') }]);
  expect(await react(null)).toEqual([{ kind: 'sent', platformId: message }]);
  expect(server.posts[0]?.reactions).toEqual([]);
});

test('OUT-6 a file is fetched and uploaded with its caption; one that cannot be had is not sent', async () => {
  const { server, sendRow } = await started();
  const media = [
    { type: 'file' as const, url: `${server.url}/public/a,b`, name: 'report.csv', mime: 'text/csv', caption: 'The **report**' },
  ];
  expect(await sendRow({ text: 'Here:', media })).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
  expect(server.posts).toMatchObject([
    { content: 'Here:', files: [] },
    { content: 'The **report**', files: [{ name: 'report.csv', text: 'a,b' }] },
  ]);
  const inside = [{ type: 'file' as const, url: 'https://169.254.169.254/latest/meta-data' }];
  expect(await sendRow({ media: inside })).toMatchObject([{ kind: 'refused' }]);
});

test('QU-6 typing is shown in the thread; whatever Discord says, it is no matter', async () => {
  const { server, account } = await started();
  await account.outbound.typing?.show({ ...target, thread: '500000000000000077' }, 1000);
  await account.outbound.typing?.show({ ...target, conversation: 'no/id' }, 1000);
  expect(server.typing.map((one) => one.channel)).toEqual(['500000000000000077', 'no%2Fid']);
});

test('OUT-1 fifty calls a second of a bot, five messages in five seconds of a channel', async () => {
  const { account } = await started();
  expect(account.outbound.rates?.({ ...target, thread: '500000000000000077' })).toEqual([
    { scope: 'bot', key: '', count: 50, perMs: 1000 },
    { scope: 'chat', key: '500000000000000077', count: 5, perMs: 5000 },
  ]);
});
