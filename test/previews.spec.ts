import { afterAll, beforeAll, expect } from 'vitest';
import type { SessionKey } from '#kernel';
import { ChatWorld, posted, send, telegramChat } from './chat-world.js';
import { startDiscordServer, type DiscordServer } from './fakes/discord-server.js';
import { startSlackServer, type SlackServer } from './fakes/slack-server.js';
import { UNPACED } from './harness/unpaced.js';
import { waitUntil } from './harness/wait-until.js';
import { proves } from './proves.js';

/** Numbered words, so that what is missing or doubled shows. */
const story = (words: number) => Array.from({ length: words }, (_, n) => `word${n}`).join(' ');
/** Takes the model some five seconds: a group sees two updates in them, a private chat four. */
const STORY = { text: story(180), chunkDelayMs: 42 };
const TOGETHER = { concurrent: true };

const TOKEN = { slack: 'xoxb-1-token', discord: 'a.bot-token' };

let world: ChatWorld;
let slack: SlackServer;
let discord: DiscordServer;

beforeAll(async () => {
  [slack, discord] = await Promise.all([startSlackServer(), startDiscordServer()]);
  const streaming = 'partial';
  const team = { botToken: TOKEN.slack, signingSecret: 'a-secret-of-the-previews', apiRoot: slack.url, streaming };
  const guild = {
    applicationId: '1',
    publicKey: '0'.repeat(64),
    botToken: TOKEN.discord,
    apiRoot: discord.url,
    streaming,
    rates: UNPACED,
  };
  world = await ChatWorld.start({
    config: {
      channels: {
        telegram: { accounts: { one: { streaming } } },
        slack: { accounts: { kit: team } },
        discord: { accounts: { kit: guild } },
      },
      lanes: { lockMs: 2000, stalledCheckMs: 500, deliveries: { requestTimeoutMs: 900 } },
    },
  });
}, 90_000);
afterAll(async () => {
  await world?.close();
  await Promise.all([slack?.close(), discord?.close()]);
});

const drafts = (chatId: string) => world.telegram.chats.drafts.filter((draft) => draft.chatId === chatId);
const callsOf = (chatId: string) => world.telegram.calls.filter((call) => call.chatId === chatId);
const shown = (chatId: string) =>
  callsOf(chatId).flatMap(({ answered, text }) => (answered === 200 && text !== '' ? [text] : []));
const grows = (texts: readonly string[]) => texts.every((text, n) => n === 0 || text.startsWith(texts[n - 1] ?? ''));
const journalOf = async (session: SessionKey | undefined) =>
  session ? world.platform.work.lrange(world.platform.keyspace.journal(session), 0, -1) : [];
const previewed = (chatId: string) =>
  waitUntil(
    `${chatId} sees a preview`,
    () => shown(chatId).length,
    (seen) => seen > 0,
  );

proves(
  'OUT-3',
  'in a private chat a draft grows while the model writes, and then the answer comes, once',
  async () => {
    await world.ended(await world.say(telegramChat('7001'), 'a story', [STORY]));
    const seen = drafts('7001');
    expect(seen.length).toBeGreaterThan(2);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    expect(grows([...seen.map(({ text }) => text), STORY.text])).toBe(true);
    await waitUntil(
      'the answer is there',
      () => posted(world.telegram, '7001'),
      (texts) => texts.length > 0,
    );
    expect(posted(world.telegram, '7001')).toEqual([STORY.text]);
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'an account that does not stream, and an answer that is short, show nothing ahead',
  async () => {
    await world.ended(await world.say(telegramChat('7002', 'two'), 'a quiet story', [{ ...STORY, chunkDelayMs: 12 }]));
    await world.ended(await world.say(telegramChat('7003'), 'in short'));
    expect([...drafts('7002'), ...drafts('7003')]).toEqual([]);
  },
  TOGETHER,
);

proves(
  ['OUT-3', 'TU-8'],
  'a silent reply is never shown, though the model is slow to write it; what was shown before it goes',
  async () => {
    await world.ended(await world.say(telegramChat('-7004'), 'say nothing', [{ text: ' NO_REPLY ', chunkDelayMs: 1200 }]));
    expect(callsOf('-7004')).toEqual([]);
    const said = [{ ...STORY, chunkDelayMs: 12, toolCalls: [{ name: 'wait', arguments: { seconds: 0 } }] }, { text: 'NO_REPLY' }];
    await world.ended(await world.say(telegramChat('-7014'), 'think aloud', said, { agent: 'terse' }));
    expect(shown('-7014')).not.toEqual([]);
    await waitUntil(
      'what was shown is gone',
      () => posted(world.telegram, '-7014'),
      (texts) => texts.length === 0,
    );
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'in a group one message grows; a long answer ends in its place and goes on below',
  async () => {
    const long = { text: story(800), chunkDelayMs: 12 };
    await world.ended(await world.say(telegramChat('-7006'), 'at length', [long]));
    await waitUntil(
      'all of it is there',
      () => posted(world.telegram, '-7006').join(' '),
      (text) => text === long.text,
    );
    const [first, second, ...more] = world.telegram.posts.filter(({ chatId }) => chatId === '-7006');
    expect(first?.edits).toBeGreaterThanOrEqual(1);
    expect([second?.edits, more]).toEqual([0, []]);
    // All but the last, which is what goes on below.
    const ofFirst = callsOf('-7006').slice(0, -1);
    expect(grows(ofFirst.map(({ text }) => text))).toBe(true);
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'an update that the platform refuses for now is left out; a message that somebody deletes comes as new',
  async () => {
    world.telegram.limits.set('-7007', { count: 1, perMs: 60_000, retryAfterS: 1 });
    const refused = await world.say(telegramChat('-7007'), 'refused', [STORY]);
    const deleted = await world.say(telegramChat('-7017'), 'deleted', [STORY]);
    await previewed('-7017');
    world.telegram.posts.splice(
      world.telegram.posts.findIndex(({ chatId }) => chatId === '-7017'),
      1,
    );
    await waitUntil(
      'an update is refused',
      () => callsOf('-7007').map(({ answered }) => answered),
      (answers) => answers.includes(429),
    );
    world.telegram.limits.delete('-7007');
    await world.ended(refused);
    await world.ended(deleted);
    for (const chat of ['-7007', '-7017'])
      await waitUntil(
        `${chat} has the answer, once`,
        () => posted(world.telegram, chat),
        (texts) => texts.length === 1 && texts[0] === STORY.text,
      );
    expect(callsOf('-7017').map(({ answered }) => answered)).toContain(400);
  },
  TOGETHER,
);

proves(
  ['OUT-3', 'B005'],
  'what is said meanwhile takes the place of what was shown, and the answer comes below it',
  async () => {
    const fast = { ...STORY, chunkDelayMs: 12 };
    const lines = [{ ...fast, toolCalls: [send('in between')] }, fast];
    await world.ended(await world.say(telegramChat('-7008'), 'between', lines));
    await world.ended(await world.say({ ...telegramChat('-7018') }, 'in its place', lines, { agent: 'terse' }));
    for (const chat of ['-7008', '-7018'])
      await waitUntil(
        `the answer is there in ${chat}`,
        () => posted(world.telegram, chat),
        (texts) => texts.at(-2) === 'in between' && texts.at(-1) === STORY.text,
      );
    expect(posted(world.telegram, '-7008')).toEqual([STORY.text, 'in between', STORY.text]);
    expect(posted(world.telegram, '-7018')).toEqual(['in between', STORY.text]);
  },
  TOGETHER,
);

proves(
  ['OUT-3', 'QU-3'],
  'a turn that is stopped leaves its notice where the text was',
  async () => {
    const said = await world.say(telegramChat('-7009'), 'stop me', [{ ...STORY, chunkDelayMs: 60 }]);
    await previewed('-7009');
    await world.platform.sessions.cancel(said.session, { what: 'current' });
    world.control.cancel({ session: said.session, turn: said.turn });
    await world.ended(said);
    await waitUntil(
      'the notice is there',
      () => posted(world.telegram, '-7009'),
      ([text]) => text === 'Stopped.',
    );
    expect(posted(world.telegram, '-7009')).toEqual(['Stopped.']);
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'Discord: a message grows; a long answer begins in its place and goes on below',
  async () => {
    const target = { channel: 'discord', account: 'kit', conversation: '81' };
    const long = { text: story(500), chunkDelayMs: 15 };
    await world.ended(await world.say(target, 'at Discord', [long]));
    const posts = () => discord.posts.filter(({ channel }) => channel === '81');
    await waitUntil(
      'all of it is there',
      () =>
        posts()
          .map(({ content }) => content)
          .join(' '),
      (text) => text === long.text,
    );
    const calls = discord.calls.filter(({ path }) => path.startsWith('/channels/81/'));
    expect(calls.map(({ method }) => method).join(' ')).toMatch(/^POST( PATCH)+ POST$/);
    expect(grows(calls.slice(0, -1).map(({ body }) => String(body['content'])))).toBe(true);
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'Discord: "thinking ..." becomes the text while it grows, and what comes behind it has previews of its own',
  async () => {
    discord.defer('a-token', '82');
    const target = { channel: 'discord', account: 'kit', conversation: '82', replyTo: 'a-token' };
    const lines = [{ ...STORY, chunkDelayMs: 22, toolCalls: [send('noted')] }, STORY];
    await world.ended(await world.say(target, 'slash', lines, { agent: 'terse' }));
    const posts = () => discord.posts.filter(({ channel }) => channel === '82').map(({ content }) => content);
    await waitUntil('both are there', posts, (texts) => texts.at(-1) === STORY.text);
    expect(posts()).toEqual(['noted', STORY.text]);
    const calls = discord.calls.filter(({ path }) => path.includes('a-token') || path.startsWith('/channels/82/'));
    expect(calls.map(({ method }) => method).join(' ')).toMatch(/^PATCH( PATCH)+ POST( PATCH)+$/);
  },
  TOGETHER,
);

proves(
  'OUT-3',
  'Slack: a stream in the thread of a direct message, an edited message in a channel; the answer takes its place',
  async () => {
    const thread = { channel: 'slack', account: 'kit', conversation: 'D83', thread: '1764547000.000100' };
    const room = { channel: 'slack', account: 'kit', conversation: 'C83' };
    const said = [await world.say(thread, 'in the thread', [STORY]), await world.say(room, 'in the room', [STORY])];
    for (const one of said) await world.ended(one);
    for (const { conversation } of [thread, room]) {
      const posts = () => slack.posts.filter(({ channel }) => channel === conversation);
      await waitUntil('the answer is there', posts, ([post]) => post?.text === STORY.text && post.edited && !post.isStreamed);
      expect(posts()).toHaveLength(1);
    }
    const methods = (conversation: string) =>
      slack.calls.filter(({ args }) => args['channel'] === conversation).map(({ method }) => method.slice('chat.'.length));
    expect(methods('D83').join(' ')).toMatch(/^startStream( appendStream)+ stopStream update$/);
    expect(methods('C83').join(' ')).toMatch(/^postMessage update( update)+$/);
  },
  TOGETHER,
);

proves(
  ['OUT-3', 'G4'],
  'the runner is killed in the middle: the next one goes on with the same draft and the same message',
  async () => {
    const chats = [telegramChat('7005'), telegramChat('-7005')];
    const said = await Promise.all(
      chats.map((chat) => world.say(chat, `again ${chat.conversation}`, [{ ...STORY, chunkDelayMs: 22 }])),
    );
    await previewed('7005');
    // A runner that dies before it has written this down leaves its message behind.
    await waitUntil(
      'the message is in the journal',
      () => journalOf(said[1]?.session),
      (entries) => entries.some((entry) => entry.includes('"preview"')),
    );
    const [runner] = world.fleet.of('runner');
    if (runner) world.fleet.kill(runner);
    await world.fleet.start('runner');
    for (const one of said) await world.settled(one);
    expect(new Set(drafts('7005').map(({ id }) => id)).size).toBe(1);
    expect(drafts('7005').length).toBeGreaterThan(1);
    expect(posted(world.telegram, '7005')).toEqual([STORY.text]);
    expect(posted(world.telegram, '-7005')).toEqual([STORY.text]);
  },
);
