import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { OutboxAction, OutboxRow, Target } from '#contracts';
import { TerminalError, TransientError } from '#kernel';
import { rowOf, sendAll } from '../../../test/contract-kit.js';
import { startTelegramServer, telegramFault } from '../../../test/fakes/telegram-server.js';
import { MediaFetch } from '../media/media-fetch.js';
import { telegramAccount } from './telegram-account.js';

const target: Target = { channel: 'telegram', account: 'acct1', conversation: '-100200' };
const photo = { type: 'image' as const, url: 'https://a.example/cat.jpg' };
const signal = new AbortController().signal;

async function started(trustedOrigins: string[] = []) {
  const server = await startTelegramServer();
  onTestFinished(() => server.close());
  const options = { account: 'acct1', botToken: '600001:very-secret', secretToken: 'secret', apiRoot: server.url };
  const account = telegramAccount(options, { media: new MediaFetch({ trustedOrigins }) });
  const { outbound } = account;
  const send = (row: Partial<OutboxRow>) => sendAll(account, { ...rowOf(row.target ?? target, row.text ?? ''), ...row });
  const act = (action: OutboxAction, row: Partial<OutboxRow> = {}) => send({ action, ...row });
  return { server, account, outbound, send, act };
}

const sent = (platformId: string) => [{ kind: 'sent', platformId }];

test('OUT-2 an edit takes the place of text and buttons; the same once more is sent', async () => {
  const { server, send, act } = await started();
  await send({ text: '**one**', buttons: [{ text: 'Go', data: 'go' }] });
  const edit: OutboxAction = { do: 'edit', message: '1' };
  expect(await act(edit, { text: '*two*' })).toEqual(sent('1'));
  expect(await act(edit, { text: '*two*' })).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ text: 'two', buttons: [], edits: 1 }]);
  server.fail(telegramFault.cannotParse());
  expect(await act(edit, { text: '*three*' })).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ text: 'three' }]);
});

test('OUT-2 what can be no edit is refused with a reason: gone, too long, several files', async () => {
  const { server, act, send } = await started();
  expect(await act({ do: 'edit', message: '7' }, { text: 'x' })).toMatchObject([
    { kind: 'refused', reason: '400 Bad Request: message to edit not found' },
  ]);
  await send({ text: 'here' });
  const edit: OutboxAction = { do: 'edit', message: '1' };
  expect(await act(edit, { text: 'long '.repeat(1000) })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('4096') },
  ]);
  expect(await act(edit, { text: 'x', media: [photo, photo] })).toMatchObject([{ kind: 'refused' }]);
  expect(await act({ do: 'edit', message: 'abc' }, { text: 'x' })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('"abc"') },
  ]);
  expect(server.posts).toMatchObject([{ text: 'here' }]);
});

test('OUT-2 the text of a picture is its caption, and a picture takes the place of another', async () => {
  const { server, send, act } = await started();
  await send({ text: 'a **cat**', media: [photo] });
  expect(server.posts).toMatchObject([{ text: 'a cat', file: { kind: 'photo', url: photo.url } }]);
  const edit: OutboxAction = { do: 'edit', message: '1' };
  expect(await act(edit, { text: 'a dog' })).toEqual(sent('1'));
  expect(await act(edit, { text: 'a bird', media: [{ ...photo, url: 'https://a.example/bird.jpg' }] })).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ text: 'a bird', file: { url: 'https://a.example/bird.jpg' }, edits: 2 }]);
});

test('OUT-2 a deletion, and what is deleted already', async () => {
  const { server, send, act } = await started();
  await send({ text: 'regretted' });
  expect(await act({ do: 'delete', message: '1' })).toEqual(sent('1'));
  expect(await act({ do: 'delete', message: '1' })).toEqual(sent('1'));
  expect(server.posts).toEqual([]);
});

test('OUT-2 a reaction is set, replaced and taken back; what Telegram has no emoji for is refused', async () => {
  const { server, send, act } = await started();
  await send({ text: 'news' });
  const react = (emoji: string | null) => act({ do: 'react', message: '1', emoji });
  expect(await react('👍')).toEqual(sent('1'));
  expect(await react('❤\ufe0f')).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ reactions: ['❤'] }]);
  expect(await react('🧮')).toMatchObject([{ kind: 'refused', reason: '400 Bad Request: REACTION_INVALID' }]);
  expect(await react(null)).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ reactions: [] }]);
});

test('OUT-2 files that Telegram shows together are one album, the text its caption; others go alone, in order', async () => {
  const { server, send } = await started();
  const film = { type: 'video' as const, url: 'https://a.example/film.mp4' };
  const pdf = { type: 'file' as const, url: 'https://a.example/paper.pdf', caption: 'the _paper_' };
  const voice = { type: 'audio' as const, url: 'https://a.example/v.ogg', mime: 'audio/ogg' };
  const gif = { ...photo, url: 'https://a.example/x.gif', mime: 'image/gif' };
  const outcomes = await send({
    text: 'Look',
    media: [photo, film, photo, pdf, voice, gif],
    target: { ...target, replyTo: '9' },
  });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent', 'sent']);
  expect(server.posts.map(({ text, file, album, replyTo }) => [text, file?.kind, album, replyTo])).toEqual([
    ['Look', 'photo', 1, 9],
    ['', 'video', 1, 9],
    ['', 'photo', 1, 9],
    ['the paper', 'document', undefined, undefined],
    ['', 'voice', undefined, undefined],
    ['', 'animation', undefined, undefined],
  ]);
});

test('OUT-2 eleven pictures are two albums; with buttons the last goes alone, since albums have none', async () => {
  const { server, send } = await started();
  await send({ media: Array.from({ length: 12 }, () => photo) });
  expect(server.posts.map(({ album }) => album)).toEqual([...Array.from({ length: 10 }, () => 1), 11, 11]);
  server.posts.length = 0;
  const buttons = [{ text: 'Mine', data: 'mine' }];
  await send({ text: 'Which?', media: [photo, photo, photo], buttons });
  expect(server.posts.map(({ text, album, buttons: shown }) => [text, album !== undefined, shown.length])).toEqual([
    ['Which?', true, 0],
    ['', true, 0],
    ['', false, 1],
  ]);
});

test('OUT-2 text that is too long for a caption goes ahead, a caption that is too long goes on behind', async () => {
  const { server, send } = await started();
  await send({ text: 'word '.repeat(300), media: [photo] });
  expect(server.posts.map(({ text, file }) => [text.length > 1024, file?.kind])).toEqual([
    [true, undefined],
    [false, 'photo'],
  ]);
  server.posts.length = 0;
  await send({ media: [{ ...photo, caption: 'word '.repeat(300) }] });
  expect(server.posts.map(({ file }) => file?.kind)).toEqual(['photo', undefined]);
  expect(
    server.posts
      .map(({ text }) => text)
      .join(' ')
      .split(' '),
  ).toHaveLength(300);
});

test('OUT-6 a file that Telegram cannot fetch is fetched here and uploaded, alone and in an album', async () => {
  const site = createServer(
    (request, response) => void response.setHeader('content-type', 'text/csv').end(`bytes of ${request.url}`),
  );
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const address = site.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { server, send } = await started([origin]);
  expect(await send({ text: 'table', media: [{ type: 'file', url: `${origin}/table.csv` }] })).toEqual(sent('1'));
  expect(server.posts).toMatchObject([
    { text: 'table', file: { kind: 'document', bytes: Buffer.from('bytes of /table.csv'), name: 'table.csv' } },
  ]);
  server.chats.unfetchable.add(`${origin}/b.jpg`);
  expect(await send({ media: ['a', 'b'].map((name) => ({ ...photo, url: `${origin}/${name}.jpg` })) })).toEqual(sent('2'));
  expect(server.posts.slice(1).map(({ file }) => file && 'bytes' in file && file.bytes.toString())).toEqual([
    'bytes of /a.jpg',
    'bytes of /b.jpg',
  ]);
});

test('OUT-6 what nobody can fetch, or only from inside the network, is refused, and nothing is sent', async () => {
  const { server, send } = await started();
  expect(await send({ media: [{ type: 'file', url: 'https://127.0.0.1/secret.txt' }] })).toMatchObject([
    { kind: 'refused', reason: expect.stringContaining('no address of the internet') },
  ]);
  expect(await send({ media: [{ type: 'file', url: 'https://nobody.invalid/x.txt' }] })).toMatchObject([{ kind: 'retry' }]);
  expect(server.posts).toEqual([]);
});

test('OUT-6 a file that somebody sent is fetched within bounds, and its address, which holds the token, is in no message', async () => {
  const { server, outbound } = await started();
  const limits = { maxBytes: 100, timeoutMs: 5000 };
  const get = (ref: string, most = limits) => outbound.download?.({ type: 'file', ref }, most, signal);
  server.files.set('FILE-A', Buffer.from('hello'));
  expect(await get('FILE-A')).toMatchObject({ bytes: Buffer.from('hello') });
  const failures = await Promise.allSettled([get('FILE-B'), get('FILE-A', { ...limits, maxBytes: 4 })]);
  server.fail(telegramFault.serverError());
  await expect(get('FILE-A')).rejects.toBeInstanceOf(TransientError);
  await expect(get('FILE-C')).rejects.toBeInstanceOf(TerminalError);
  const messages = failures.map((failure) => (failure.status === 'rejected' ? String(failure.reason) : ''));
  expect(messages).toEqual([expect.stringContaining('wrong file_id'), expect.stringContaining('more than 4 bytes')]);
  expect(messages.join()).not.toContain('very-secret');
});

test('OUT-2 what is answered is gone: sent all the same, in a topic too, where Telegram itself refuses', async () => {
  const { server, send } = await started();
  server.chats.gone.add('-100200/5');
  expect(await send({ text: 'a', target: { ...target, replyTo: '5' } })).toEqual(sent('1'));
  expect(server.calls).toHaveLength(1);
  expect(await send({ text: 'b', target: { ...target, thread: '55', replyTo: '5' } })).toEqual(sent('2'));
  expect(server.calls).toHaveLength(3);
  expect(server.posts.map(({ text, threadId, replyTo }) => [text, threadId, replyTo])).toEqual([
    ['a', undefined, undefined],
    ['b', 55, undefined],
  ]);
});

test('OUT-2 a deleted topic is refused, never another place; a group that became a supergroup is followed', async () => {
  const { server, send } = await started();
  server.chats.deletedTopics.add('-100200/55');
  expect(await send({ text: 'a', target: { ...target, thread: '55' } })).toMatchObject([{ kind: 'refused' }]);
  server.chats.moved.set('-42', '-10042');
  expect(await send({ text: 'b', target: { ...target, conversation: '-42' } })).toEqual(sent('1'));
  expect(server.posts).toMatchObject([{ chatId: '-10042', text: 'b' }]);
});

test('QU-6 typing shows in its topic, and in the General topic of a forum that was heard of', async () => {
  const { server, account, outbound } = await started();
  const show = (at: Partial<Target>) => outbound.typing?.show({ ...target, ...at }, 2000);
  const heard = { message_id: 1, date: 0, text: 'x', chat: { id: -100300, type: 'supergroup', is_forum: true } };
  account.inbound?.parse({
    method: 'POST',
    query: {},
    headers: {},
    body: Buffer.from(JSON.stringify({ update_id: 1, message: heard })),
  });
  await show({});
  await show({ thread: '55' });
  await show({ conversation: '-100300' });
  expect(server.actions.map(({ threadId }) => threadId)).toEqual([undefined, 55, 1]);
});
