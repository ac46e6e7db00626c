import type { Update } from '@grammyjs/types';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { inboundEventSchema, type InboundEvent } from '#contracts';
import { InvalidInputError, messageId, TerminalError } from '#kernel';
import { fixturesOf, posted, requestsOf } from '../../../test/fixtures-of.js';
import { telegramAccount } from './telegram-account.js';
import type { updateSchema } from './update.schema.js';

const options = { account: 'acct1', botToken: '600001:secret', secretToken: 'tg-test-secret_0001', botUsername: 'example_bot' };

function inboundOf(account = 'acct1') {
  const { inbound } = telegramAccount({ ...options, account });
  if (!inbound) throw new Error('Telegram has an inbound half');
  return inbound;
}

function parse(update: unknown, account?: string): InboundEvent[] {
  return inboundOf(account).parse(posted(Buffer.from(JSON.stringify(update))));
}

const alex = { id: 700001, is_bot: false, first_name: 'Alex' };
const group = { id: -1002000000002, type: 'supergroup', title: 'Example Group' };
const said = (message: object) => ({
  update_id: 1,
  message: { message_id: 2, date: 1764547200, chat: group, from: alex, ...message },
});

/** Fails to compile when the schema asks for something the Bot API does not promise. */
export const accepts = (update: Update): z.input<typeof updateSchema> => update;

for (const { name, expected, ...request } of fixturesOf('telegram')) {
  test(`IN-2 fixture telegram/${name}`, () => {
    const inbound = inboundOf();
    expect(inbound.verify(request)).toEqual({ ok: true });
    const events = inbound.parse(request);
    expect(events).toHaveLength(1);
    const event = inboundEventSchema.parse(events[0]);
    expect({
      channel: event.channel,
      accountId: event.account,
      kind: event.kind,
      dedupeKey: `${event.channel}:${event.account}:update:${event.eventId}`,
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
      timestamp: event.at,
      startsTurn: event.startsTurn,
      groupKey: event.groupKey,
    }).toEqual({ ...expected, timestamp: expected.kind === 'callback' ? null : Date.parse(expected.timestamp) });
    expect(event.edit).toBe(event.kind === 'edit' ? 1764547260 : 0);
  });
}

test('IN-2 a pressed button is answered with the 2xx, a message with nothing', () => {
  const answers = requestsOf('telegram').map(({ name, ...request }) => [name, inboundOf().acknowledgement?.(request)] as const);
  const given = answers.filter(([, answer]) => answer !== undefined);
  expect(given).toEqual([['callback_query', { method: 'answerCallbackQuery', callback_query_id: '4400000000000000001' }]]);
});

test('T7 message_id 12 in two chats, and one update_id at two bots, are different messages', () => {
  const chats = [700001, 700002].map((id, index) => ({
    ...said({ message_id: 12, chat: { id, type: 'private' }, text: 'hi' }),
    update_id: 10 + index,
  }));
  const events = [...chats.flatMap((update) => parse(update)), ...chats.flatMap((update) => parse(update, 'acct2'))];
  const ids = events.map((event) => messageId({ ...event, platformId: event.eventId }));
  expect(new Set(ids).size).toBe(4);
});

test.each([
  [
    'a mention behind an emoji, offsets in UTF-16',
    { text: '😀 @Example_Bot hi', entities: [{ type: 'mention', offset: 3, length: 12 }] },
    true,
  ],
  ['a mention of another', { text: '@example_bot2 hi', entities: [{ type: 'mention', offset: 0, length: 13 }] }, false],
  ['the name without an entity', { text: 'mail me at x@example_bot' }, false],
  [
    'a link to the profile',
    { text: 'you there', entities: [{ type: 'text_mention', offset: 0, length: 3, user: { id: 600001 } }] },
    true,
  ],
  ['a command for this bot', { text: '/stop@example_bot', entities: [{ type: 'bot_command', offset: 0, length: 17 }] }, true],
  ['a command for anybody', { text: '/stop', entities: [{ type: 'bot_command', offset: 0, length: 5 }] }, false],
  [
    'a caption',
    { caption: '@example_bot', caption_entities: [{ type: 'mention', offset: 0, length: 12 }], voice: { file_id: 'F' } },
    true,
  ],
  [
    'a reply to this bot',
    { text: 'yes', reply_to_message: { message_id: 1, from: { id: 600001, is_bot: true, first_name: 'B' } } },
    true,
  ],
  ['a reply to a person', { text: 'yes', reply_to_message: { message_id: 1, from: alex } }, false],
])('IN-2 mention: %s', (_, message, mentionsBot) => {
  expect(parse(said(message))).toMatchObject([{ mentionsBot }]);
});

test('IN-2 a quote inside a topic is a quote, its opening message is none, a reply chain is no topic', () => {
  const inTopic = { text: 'x', message_thread_id: 55, is_topic_message: true };
  expect(parse(said({ ...inTopic, reply_to_message: { message_id: 55 } }))).toMatchObject([{ thread: '55', replyTo: null }]);
  expect(parse(said({ ...inTopic, reply_to_message: { message_id: 60 } }))).toMatchObject([{ thread: '55', replyTo: '60' }]);
  expect(parse(said({ text: 'x', message_thread_id: 55, reply_to_message: { message_id: 55 } }))).toMatchObject([
    { thread: null, replyTo: '55' },
  ]);
});

test('IN-2 RT-1 a topic names its chat as the parent, a group its title, a sender the username', () => {
  const [event] = fixturesOf('telegram')
    .filter(({ name }) => name === 'forum_topic_message')
    .flatMap((request) => inboundOf().parse(request));
  expect(event).toMatchObject({
    thread: '55',
    parent: '-1002000000001',
    title: 'Example Forum',
    senderUsername: 'alex_example',
    fromSelf: false,
  });
  expect(event).not.toHaveProperty('quoted');
  const [elsewhere] = parse(said({ text: 'x', message_thread_id: 55 }));
  expect(elsewhere).not.toHaveProperty('parent');
});

const answered = { message_id: 1, from: { ...alex, last_name: 'Example' }, text: 'the whole' };
test.each([
  ['the words answered', { reply_to_message: answered }, { sender: 'Alex Example', text: 'the whole' }],
  ['the marked part', { reply_to_message: answered, quote: { text: 'whole' } }, { sender: 'Alex Example', text: 'whole' }],
  [
    'a caption of a channel',
    { reply_to_message: { message_id: 1, sender_chat: group, caption: 'c' } },
    { sender: 'Example Group', text: 'c' },
  ],
  ['words of nobody', { reply_to_message: { message_id: 1, text: 't' } }, { sender: null, text: 't' }],
])('IN-2 a quote: %s', (_, message, quoted) => {
  expect(parse(said({ text: 'x', ...message }))).toMatchObject([{ replyTo: '1', quoted }]);
});

test('IN-2 what the bot itself wrote is known', () => {
  const [own] = parse(said({ text: 'x', from: { id: 600001, is_bot: true, first_name: 'B' } }));
  expect(own).toMatchObject({ fromSelf: true });
});

const news = { id: -1003, type: 'channel', title: 'News' };
test('IN-2 a post of a channel is said by the channel, and its edit is an edit', () => {
  const post = { message_id: 4, date: 1764547200, chat: news, sender_chat: news, text: 'Breaking' };
  const channel = { chatType: 'channel', conversation: '-1003', sender: { id: '-1003', name: 'News', isBot: false } };
  expect(parse({ update_id: 1, channel_post: post })).toMatchObject([{ ...channel, kind: 'message', text: 'Breaking' }]);
  const edited = { ...post, edit_date: 1764547300, text: 'Broken' };
  expect(parse({ update_id: 2, edited_channel_post: edited })).toMatchObject([
    { ...channel, kind: 'edit', edit: 1764547300, text: 'Broken', startsTurn: false },
  ]);
});

test('IN-2 a reaction names what it stands under; one that is taken back is empty, an anonymous one that of a chat', () => {
  const reaction = { chat: group, message_id: 12, user: alex, date: 1764547200, old_reaction: [] };
  const emoji = (...given: string[]) => given.map((one) => ({ type: 'emoji', emoji: one }));
  const of = (more: object) => parse({ update_id: 1, message_reaction: { ...reaction, ...more } });
  expect(of({ new_reaction: emoji('👍') })).toMatchObject([
    { kind: 'reaction', messageId: '12', text: '👍', sender: { id: '700001' }, startsTurn: false, at: 1764547200000 },
  ]);
  expect(of({ new_reaction: [] })).toMatchObject([{ text: '' }]);
  const custom = [...emoji('🔥'), { type: 'custom_emoji', custom_emoji_id: '5' }];
  expect(of({ new_reaction: custom, user: undefined, actor_chat: news })).toMatchObject([
    { text: '🔥 (custom)', sender: { id: '-1003' } },
  ]);
});

test('IN-2 an anonymous admin speaks as the group, not as a bot', () => {
  const update = said({ text: 'x', from: { id: 1087968824, is_bot: true, first_name: 'Group' }, sender_chat: group });
  expect(parse(update)).toMatchObject([{ sender: { id: '-1002000000002', name: 'Example Group', isBot: false } }]);
});

test('IN-2 a GIF, which repeats itself as a document, is one video', () => {
  const file = { file_id: 'G', mime_type: 'video/mp4' };
  expect(parse(said({ animation: file, document: file }))).toMatchObject([{ media: [{ type: 'video', ref: 'G' }] }]);
});

test('IN-2 unknown kinds of update and messages without content give nothing; unknown fields are ignored', () => {
  expect(parse({ update_id: 1, poll: { id: 'p' } })).toEqual([]);
  expect(parse(said({ new_chat_members: [alex] }))).toEqual([]);
  expect(parse({ update_id: 1, callback_query: { id: 'c', from: alex, inline_message_id: 'i', data: 'd' } })).toEqual([]);
  expect(parse({ ...said({ text: 'x', novelty: { a: 1 } }), surprise: [] })).toHaveLength(1);
});

test.each(['', '{', '[]', 'null', '{"update_id":"1"}', '{"update_id":1,"message":{"message_id":2}}'])(
  'IN-2 what is no update is refused as invalid input: %s',
  (text) => {
    expect(() => inboundOf().parse(posted(Buffer.from(text)))).toThrow(InvalidInputError);
  },
);

test.each([
  ['secretToken', { secretToken: '' }],
  ['secretToken', { secretToken: 'has space' }],
  ['botToken', { botToken: '' }],
  ['apiRoot', { apiRoot: 'api.telegram.org' }],
])('IN-1 an account with a bad %s refuses to start', (field, bad) => {
  const start = () => telegramAccount({ ...options, ...bad });
  expect(start).toThrow(TerminalError);
  expect(start).toThrow(field);
});
