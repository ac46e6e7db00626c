import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { ChatWorld, generic, reports, sends, telegramChat, waits, type Line } from './chat-world.js';
import type { ModelServerRequest } from './fakes/model-server.js';
import { proves } from './proves.js';

let world: ChatWorld;

beforeAll(async () => {
  world = await ChatWorld.start({ config: { lanes: { lockMs: 3000, deliveries: { requestTimeoutMs: 1400 } } } });
}, 90_000);
afterAll(() => world?.close());

type Arguments = Record<string, unknown>;
const acts = (...calls: Arguments[]): Line => ({ toolCalls: calls.map((args) => ({ name: 'message', arguments: args })) });
/** A model that looks at the conversation before it acts. */
const looks =
  (decide: (seen: { user: string; results: Arguments[] }) => Arguments): Line =>
  ({ messages }: ModelServerRequest) => {
    const texts = (role: string) => messages.filter((message) => message.role === role).map(({ content }) => String(content));
    const results = texts('tool').map((text) => z.record(z.string(), z.unknown()).parse(JSON.parse(text)));
    return { toolCalls: [{ name: 'message', arguments: decide({ user: texts('user').at(-1) ?? '', results }) }] };
  };

/** What a chat got, without what every message has. */
const got = (conversation: string) =>
  world.dedupe.messages
    .filter((message) => message.conversation === conversation)
    .map(({ text, action, replyTo, media, buttons }) => ({ text, action, replyTo, media, buttons }));
const plain = { action: undefined, replyTo: null, media: undefined, buttons: undefined };

/** The id that the receiver gave to what a turn sent as its n-th. */
const idOf = ({ turn }: { turn: string }, n: number) => `r-${turn}-${n}/0`;

const toolSchema = z.object({
  function: z.object({ parameters: z.object({ properties: z.record(z.string(), z.unknown()) }) }),
});
const parametersOf = (text: string) => {
  const shown = world.asked(text)[0]?.body.tools?.find(({ function: { name } }) => name === 'message');
  return toolSchema.parse(shown).function.parameters.properties;
};
const nameOf = (user: string) => /^\[message (\S+)\]/.exec(user)?.[1];

describe('what a channel can, its agents may', () => {
  proves(
    ['TO-1', 'OUT-2'],
    'edit, react, reply and delete leave in the order they were made, by ids the model was told',
    async () => {
      const said = await world.say(generic('able', 'all'), 'act', [
        sends('0 %'),
        looks(({ results }) => ({ action: 'edit', messageId: results.at(-1)?.['platformMessageId'], content: '50 %' })),
        looks(({ user }) => ({ action: 'react', messageId: nameOf(user), emoji: '👀' })),
        acts({ action: 'reply', content: 'found it' }, { action: 'delete', messageId: 'wrong' }, { action: 'delete' }),
        acts({ action: 'edit', content: '100 %' }),
      ]);
      const record = await world.settled(said);
      const user = nameOf(record.messages[0]?.text ?? '');
      expect(user).toMatch(/^\d+$/);
      expect(got('all')).toEqual([
        { ...plain, text: '0 %' },
        { ...plain, text: '50 %', action: { do: 'edit', message: idOf(said, 1) } },
        { ...plain, text: '', action: { do: 'react', message: user, emoji: '👀' } },
        { ...plain, text: 'found it', replyTo: user },
        { ...plain, text: '', action: { do: 'delete', message: idOf(said, 4) } },
        { ...plain, text: '100 %', action: { do: 'edit', message: idOf(said, 1) } },
        { ...plain, text: 'done act' },
      ]);
      expect(reports(record)).toMatchObject([
        { ok: true, state: 'sent', platformMessageId: idOf(said, 1) },
        { ok: true, state: 'sent', action: 'edit', messageId: idOf(said, 1), sequenceInTurn: 2 },
        { ok: true, state: 'sent', action: 'react', messageId: user },
        { ok: true, state: 'sent', platformMessageId: idOf(said, 4) },
        { ok: false, state: 'failed', error: expect.stringContaining('"wrong" is no message that you sent') },
        { ok: true, state: 'sent', action: 'delete', messageId: idOf(said, 4) },
        { ok: true, state: 'sent', action: 'edit', messageId: idOf(said, 1) },
      ]);
    },
  );

  proves(['TO-1', 'OUT-5'], 'in Telegram each is its own method, on the message it means', async () => {
    const said = await world.say(telegramChat('7300'), 'in telegram', [
      sends('0 %'),
      acts({ action: 'edit', content: '**50 %**' }),
      looks(({ results }) => ({ action: 'react', messageId: results.at(-1)?.['messageId'], emoji: '👍' })),
      acts({ content: 'and gone' }, { action: 'delete' }),
    ]);
    const record = await world.settled(said);
    expect(reports(record).map(({ ok, error }) => error ?? ok)).toEqual([true, true, true, true, true]);
    const calls = world.telegram.calls.filter(({ chatId }) => chatId === '7300').map(({ method }) => method);
    expect(calls).toEqual([
      'sendMessage',
      'editMessageText',
      'setMessageReaction',
      'sendMessage',
      'deleteMessage',
      'sendMessage',
    ]);
  });

  proves('TO-1', 'media and buttons go beside the text; a button says its text unless it is given data', async () => {
    const media = [{ type: 'image', url: 'https://example.com/cat.png', caption: 'a cat' }];
    const buttons = [{ text: 'More' }, { text: 'Stop', data: '/stop' }];
    await world.settled(await world.say(generic('able', 'rich'), 'show me', [acts({ media }, { content: 'Which?', buttons })]));
    expect(got('rich').slice(0, 2)).toEqual([
      { ...plain, text: '', media },
      { ...plain, text: 'Which?', buttons: [{ text: 'More', data: 'More' }, buttons[1]] },
    ]);
  });

  proves('TO-1', 'what waits for the end of the turn keeps its order, actions too', async () => {
    const edit = { action: 'edit', content: 'edited', immediate: false };
    const said = await world.say(generic('able', 'later'), 'later', [
      sends('now'),
      acts(edit, { content: 'batched', immediate: false }),
    ]);
    await world.settled(said);
    expect(got('later').map(({ text }) => text)).toEqual(['now', 'edited', 'batched', 'done later']);
    expect(got('later')[1]?.action).toEqual({ do: 'edit', message: idOf(said, 1) });
  });

  proves(['TO-1', 'G4', 'TU-1'], 'a runner killed in between repeats no action and loses none', async () => {
    const said = await world.say(generic('able', 'killed'), 'survive', [
      sends('one'),
      acts({ action: 'edit', content: 'two' }),
      waits(1),
      acts({ action: 'delete' }),
    ]);
    await world.askedTimes('survive', 3);
    for (const runner of world.fleet.of('runner')) world.fleet.kill(runner);
    await world.fleet.start('runner');
    const record = await world.settled(said);
    const posts = world.dedupe.attempts.filter(({ message }) => message.conversation === 'killed');
    expect(posts.map(({ message }) => message.action?.do ?? message.text)).toEqual(['one', 'edit', 'delete', 'done survive']);
    expect(reports(record)).toMatchObject([
      { ok: true },
      { ok: true, action: 'edit' },
      { ok: true, action: 'delete', messageId: idOf(said, 1) },
    ]);
  });
});

describe('what may be meant', () => {
  proves('TO-1', 'later turns reach what earlier ones sent, the answer among it, and nothing of another chat', async () => {
    const chat = generic('able', 'reach');
    const first = await world.say(chat, 'first');
    await world.settled(first);
    const other = await world.say(generic('able', 'elsewhere'), 'elsewhere', [sends('secret')]);
    await world.settled(other);
    const record = await world.settled(
      await world.say(chat, 'second', [
        acts(
          { action: 'edit', content: 'better' },
          { action: 'delete', messageId: idOf(other, 1) },
          { action: 'react', messageId: idOf(other, 1), emoji: '👍' },
          { action: 'reply', messageId: idOf(first, 1), content: 'as I said' },
        ),
      ]),
    );
    expect(reports(record).map(({ ok, messageId }) => [ok, messageId])).toEqual([
      [true, idOf(first, 1)],
      [false, undefined],
      [false, undefined],
      [true, undefined],
    ]);
    expect(got('elsewhere').map(({ action }) => action)).toEqual([undefined, undefined]);
    expect(got('reach').map(({ replyTo }) => replyTo)).toContain(idOf(first, 1));
  });

  proves('TO-1', 'words of the user are not deleted, and where nothing was sent there is nothing to edit', async () => {
    const said = await world.say(generic('able', 'theirs'), 'mine', [
      looks(({ user }) => ({ action: 'delete', messageId: nameOf(user) })),
      acts({ action: 'edit', content: 'x' }),
    ]);
    const errors = reports(await world.settled(said)).map(({ error }) => error);
    expect(errors).toEqual([
      expect.stringContaining('no message that you sent'),
      expect.stringContaining('no message that you sent'),
    ]);
    expect(got('theirs').map(({ text }) => text)).toEqual(['done mine']);
  });
});

describe('what a channel cannot', () => {
  proves(['TO-1', 'OUT-2'], 'is not offered, and refused with what it can instead; nothing leaves', async () => {
    const image = { type: 'image', url: 'https://example.com/a.png' };
    const said = await world.say(generic('dedupe', 'simple'), 'cannot', [
      acts({ action: 'edit', content: 'x' }, { action: 'react', emoji: '👍' }, { content: 'x', media: [image] }),
    ]);
    const errors = reports(await world.settled(said)).map(({ ok, error }) => [ok, error]);
    expect(errors).toEqual([
      [false, expect.stringMatching(/cannot edit\. Instead, send a new message.*It can: send, reply\./)],
      [false, expect.stringMatching(/cannot react\. Instead, send a short message/)],
      [false, expect.stringMatching(/no media of type image\. Instead, put the address into the text/)],
    ]);
    expect(got('simple').map(({ text }) => text)).toEqual(['done cannot']);
    const offered = parametersOf('cannot');
    expect(Object.keys(offered)).toEqual(['action', 'content', 'messageId', 'buttons', 'immediate']);
    expect(offered['action']).toMatchObject({ enum: ['send', 'reply'] });
    expect(Object.keys(parametersOf('act'))).toEqual([
      'action',
      'content',
      'messageId',
      'emoji',
      'media',
      'buttons',
      'immediate',
    ]);
  });
});
