import type { AppMentionEvent, BotMessageEvent, GenericMessageEvent } from '@slack/types';
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { inboundEventSchema, type InboundEvent } from '#contracts';
import { InvalidInputError, messageId, TerminalError } from '#kernel';
import { fixturesOf, posted, requestsOf } from '../../../test/fixtures-of.js';
import type { saidSchema } from './event.schema.js';
import { slackAccount, type SlackAccountOptions } from './slack-account.js';

const signingSecret = '0123456789abcdef0123456789abcdef';
const SIGNED_AT = 1764547200;
const options = { account: 'T0EXAMPLE', botToken: 'xoxb-1-secret', signingSecret };

function inboundOf(more: Partial<SlackAccountOptions> = {}, now = SIGNED_AT * 1000) {
  const { inbound } = slackAccount({ ...options, ...more }, { clock: { now: () => now, monotonic: () => 0 } });
  if (!inbound) throw new Error('Slack has an inbound half');
  return inbound;
}

const envelope = {
  type: 'event_callback',
  team_id: 'T0EXAMPLE',
  api_app_id: 'A0EXAMPLE',
  authorizations: [{ user_id: 'U0BOT', is_bot: true }],
};
const said = {
  type: 'message',
  channel: 'C0EXAMPLE',
  channel_type: 'channel',
  user: 'U0ALEX',
  ts: '1764547260.000200',
  text: 'hi',
};
const request = (event: object) => posted(Buffer.from(JSON.stringify({ ...envelope, event })));
const parse = (event: object, more?: Partial<SlackAccountOptions>): InboundEvent[] => inboundOf(more).parse(request(event));
const form = (fields: Record<string, string>) =>
  posted(Buffer.from(new URLSearchParams(fields).toString()), { 'content-type': 'application/x-www-form-urlencoded' });
const idOf = (event: InboundEvent) => messageId({ ...event, platformId: event.eventId });

/** Fails to compile when the schema asks for something that Slack does not promise. */
export const accepts = (
  event: AppMentionEvent | GenericMessageEvent | BotMessageEvent,
): Pick<z.input<typeof saidSchema>, 'ts' | 'user' | 'bot_id' | 'text' | 'channel' | 'thread_ts'> => event;

for (const { name, expected, ...asked } of fixturesOf('slack')) {
  // What names a message is tested below: its ts, which every copy of it has, and not the event_id of one delivery.
  const { dedupeKey: _, startsTurn, ...fields } = expected;
  test(`IN-2 fixture slack/${name}`, () => {
    const inbound = inboundOf();
    expect(inbound.verify(asked)).toEqual({ ok: true });
    expect(inbound.handshake?.(asked)).toBeUndefined();
    const events = inbound.parse(asked);
    expect(events).toHaveLength(1);
    const event = inboundEventSchema.parse(events[0]);
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
      ...fields,
      timestamp: Date.parse(expected.timestamp),
    });
    // Whoever is a bot is not heard unless the account says so (docs/access.md).
    if (typeof startsTurn === 'boolean') expect(event.startsTurn && !event.sender.isBot).toBe(startsTurn);
  });
}

test('IN-2 url_verification is answered with its challenge, and only where it is signed', () => {
  const [asked] = requestsOf('slack').filter(({ name }) => name === 'url_verification');
  if (!asked) throw new Error('no fixture');
  const inbound = inboundOf();
  expect(inbound.verify(asked)).toEqual({ ok: true });
  expect(inbound.handshake?.(asked)).toEqual({ challenge: 'challenge-value-0001' });
  expect(inbound.verify({ ...asked, headers: {} }).ok).toBe(false);
});

test.each([
  ['no headers', {}],
  ['no signature', { 'x-slack-signature': undefined }],
  ['a wrong signature', { 'x-slack-signature': `v0=${'0'.repeat(64)}` }],
  ['no time', { 'x-slack-request-timestamp': undefined }],
  ['a time that is no number', { 'x-slack-request-timestamp': 'NaN' }],
  ['a time with a sign', { 'x-slack-request-timestamp': '-1764547200' }],
])('B045 IN-1 a request with %s is refused', (says, headers) => {
  const asked = signed('{}', SIGNED_AT);
  const changed = says === 'no headers' ? {} : { ...asked.headers, ...headers };
  expect(inboundOf().verify({ ...asked, headers: changed }).ok).toBe(false);
});

test('B045 IN-1 a signed request counts for five minutes, either way', () => {
  const at = (skew: number) => inboundOf({}, (SIGNED_AT + skew) * 1000).verify(signed('{}', SIGNED_AT)).ok;
  expect([-360, -301, -300, 0, 300, 301, 360].map(at)).toEqual([false, false, true, true, true, false, false]);
});

test('IN-4 a mention comes as two events with two ids, and again as a retry: one message', () => {
  const mention = { ...said, text: '<@U0BOT> look' };
  const copies = [
    { ...envelope, event_id: 'Ev1', event: { ...mention, type: 'app_mention', channel_type: undefined } },
    { ...envelope, event_id: 'Ev2', event: mention },
    { ...envelope, event_id: 'Ev2', event: mention },
  ];
  const events = copies.flatMap((body) =>
    inboundOf().parse(posted(Buffer.from(JSON.stringify(body)), { 'x-slack-retry-num': '1' })),
  );
  expect(events.map(({ text, mentionsBot, chatType }) => [text, mentionsBot, chatType])).toEqual(
    Array(3).fill(['look', true, 'channel']),
  );
  expect(new Set(events.map(idOf)).size).toBe(1);
});

test('T7 one ts in two channels, and two messages of one channel, are different messages', () => {
  const events = [said, { ...said, channel: 'C0OTHER' }, { ...said, ts: '1764547260.000201' }].flatMap((event) => parse(event));
  expect(new Set(events.map(idOf)).size).toBe(3);
});

test('IN-4 two edits within a second are two, their retries none', () => {
  const edit = (ts: string) => ({
    type: 'message',
    subtype: 'message_changed',
    channel: 'C0EXAMPLE',
    message: { ...said, text: `at ${ts}`, edited: { user: 'U0ALEX', ts } },
    previous_message: said,
  });
  const times = ['1764547300.000000', '1764547300.000001', '1764547300.000001'];
  const events = times.flatMap((ts) => parse(edit(ts)));
  expect(new Set(events.map(idOf)).size).toBe(2);
  expect(events.every(({ kind, startsTurn }) => kind === 'edit' && !startsTurn)).toBe(true);
});

test('IN-2 a change that is not one of the words is no edit', () => {
  const message = { ...said, attachments: [{ text: 'preview' }] };
  const changed = { type: 'message', subtype: 'message_changed', channel: 'C0EXAMPLE', message, previous_message: said };
  expect(parse(changed)).toEqual([]);
  expect(parse({ ...changed, message: { ...message, edited: { ts: '1.000001' } } })).toEqual([]);
});

test('B049 IN-2 a reply in a thread has the root as its thread, and the channel around it', () => {
  const [reply] = parse({ ...said, thread_ts: '1764547000.000100' });
  expect(reply).toMatchObject({ thread: '1764547000.000100', parent: 'C0EXAMPLE', team: 'T0EXAMPLE' });
  const [direct] = parse({ ...said, channel: 'D0EXAMPLE', channel_type: 'im', thread_ts: '1764547000.000100' });
  expect(direct).toMatchObject({ chatType: 'direct', thread: '1764547000.000100' });
});

test('RT-2 with replyInThread a message in a channel begins a thread, and what follows in it is the same conversation', () => {
  const options = { replyInThread: true };
  const [first] = parse(said, options);
  const [next] = parse({ ...said, ts: '1764547261.000000', thread_ts: said.ts }, options);
  expect([first?.thread, next?.thread]).toEqual([said.ts, said.ts]);
  expect(parse({ ...said, channel: 'D0EXAMPLE', channel_type: 'im' }, options)).toMatchObject([{ thread: null }]);
});

test.each([
  ['named in the middle', { text: 'so <@U0BOT|bot>?' }, true, 'so <@U0BOT>?'],
  ['named in front', { text: ' <@U0BOT>: do it' }, true, 'do it'],
  ['somebody else', { text: '<@U0BOTHER> do it' }, false, '<@U0BOTHER> do it'],
  ['in a thread that hangs on the bot', { text: 'yes', thread_ts: '1.000001', parent_user_id: 'U0BOT' }, true, 'yes'],
])('IN-2 mention: %s', (_, message, mentionsBot, text) => {
  expect(parse({ ...said, ...message })).toMatchObject([{ mentionsBot, text }]);
});

test.each([
  ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
  ['see <https://example.com/?a=1&amp;b=2|the page>', 'see the page (https://example.com/?a=1&b=2)'],
  ['<https://example.com>', 'https://example.com'],
  ['<#C0EXAMPLE|general> and <#C0OTHER>', '#general and <#C0OTHER>'],
  ['<!here> <!subteam^S1|@ops> <!date^1|x>', '@here @ops x'],
  ['ask <@U0SAM|sam>', 'ask <@U0SAM>'],
])("IN-2 Slack's notation %j reads %j", (text, read) => {
  expect(parse({ ...said, text })).toMatchObject([{ text: read }]);
});

test('IN-8 what the bot itself wrote is known, by its user and by its app; other bots are bots', () => {
  const own = [
    { ...said, user: 'U0BOT', bot_id: 'B0BOT' },
    { ...said, subtype: 'bot_message', user: undefined, bot_id: 'B0BOT', app_id: 'A0EXAMPLE' },
  ];
  expect(own.flatMap((event) => parse(event)).map(({ fromSelf }) => fromSelf)).toEqual([true, true]);
  expect(parse({ ...said, bot_id: 'B0OTHER', app_id: 'A0OTHER' })).toMatchObject([{ fromSelf: false, sender: { isBot: true } }]);
});

test('IN-2 a button of ours sends its value alone, in the thread of its message; of several others each its name too', () => {
  const action = { type: 'button', action_id: 'turnpike:0', value: '/approve ABC234 yes', action_ts: '1764547500.000600' };
  const payload = {
    type: 'block_actions',
    user: { id: 'U0ALEX', username: 'alex' },
    channel: { id: 'D0EXAMPLE' },
    container: { message_ts: '1764547200.000900', thread_ts: '1764547000.000100' },
    actions: [action, { ...action, type: 'static_select' }],
  };
  expect(inboundOf().parse(form({ payload: JSON.stringify(payload) }))).toMatchObject([
    {
      kind: 'callback',
      text: '/approve ABC234 yes',
      chatType: 'direct',
      thread: '1764547000.000100',
      senderUsername: 'alex',
      eventId: '1764547500.000600',
    },
  ]);
  expect(inboundOf().parse(form({ payload: JSON.stringify({ ...payload, type: 'view_submission' }) }))).toEqual([]);
});

test('RT-4 the words behind a slash command are a message to the bot', () => {
  const command = {
    command: '/turnpike',
    text: '/status',
    user_id: 'U0ALEX',
    user_name: 'alex',
    channel_id: 'C0EXAMPLE',
    trigger_id: '13.3.a',
  };
  expect(inboundOf().parse(form(command))).toMatchObject([
    {
      kind: 'message',
      text: '/status',
      conversation: 'C0EXAMPLE',
      mentionsBot: true,
      eventId: '13.3.a',
      sender: { id: 'U0ALEX' },
    },
  ]);
});

test('IN-2 unknown kinds of event and messages without content give nothing; unknown fields are ignored', () => {
  const nothing = [
    { type: 'reaction_added', user: 'U0ALEX' },
    { ...said, subtype: 'channel_join' },
    { type: 'message', subtype: 'message_deleted', channel: 'C0EXAMPLE', deleted_ts: '1.000001' },
    { ...said, text: '', files: [{ id: 'F1', mode: 'tombstone' }] },
    { ...said, user: undefined },
  ];
  expect(nothing.flatMap((event) => parse(event))).toEqual([]);
  expect(inboundOf().parse(posted(Buffer.from('{"type":"app_rate_limited"}')))).toEqual([]);
  expect(parse({ ...said, novelty: { a: 1 } })).toHaveLength(1);
});

test.each(['', '{', '[]', 'null', '{"type":1}', '{"type":"event_callback","event":{"type":"message","channel":1}}'])(
  'IN-2 what is no request of Slack is refused as invalid input: %s',
  (text) => {
    expect(() => inboundOf().parse(posted(Buffer.from(text)))).toThrow(InvalidInputError);
  },
);

test('IN-2 a form that is neither button nor command is refused as invalid input', () => {
  expect(() => inboundOf().parse(form({ payload: '{' }))).toThrow(InvalidInputError);
  expect(() => inboundOf().parse(form({ novelty: '1' }))).toThrow(InvalidInputError);
});

test.each([
  ['signingSecret', { signingSecret: '' }],
  ['botToken', { botToken: 'a token' }],
  ['apiRoot', { apiRoot: 'slack.com/api' }],
])('B041 IN-1 an account with a bad %s refuses to start', (field, bad) => {
  const start = () => slackAccount({ ...options, ...bad });
  expect(start).toThrow(TerminalError);
  expect(start).toThrow(field);
});

function signed(body: string, seconds: number) {
  const signature = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`).digest('hex');
  return posted(Buffer.from(body), { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${signature}` });
}
