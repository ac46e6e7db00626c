import { createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { post, retryAfterMs } from './delivery-outcome.js';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

const send = (url: string, timeoutMs = 2_000, signal = new AbortController().signal) =>
  post({ url: new URL(url), headers: {}, body: '{}' }, { timeoutMs }, signal);

test('OUT-1 a peer that is reached but never finishes TLS has proven nothing left: the timeout is a retry', async () => {
  const open = new Set<{ destroy(): void }>();
  const port = await listening(createServer((socket) => void open.add(socket)));
  expect(await send(`https://127.0.0.1:${port}/`, 150)).toEqual({
    kind: 'retry',
    reason: 'timeout; nothing was sent',
  });
  for (const socket of open) socket.destroy();
});

test('OUT-1 the same silence after the request was written is unknown', async () => {
  const open = new Set<{ destroy(): void }>();
  const port = await listening(createServer((socket) => void open.add(socket)));
  expect(await send(`http://127.0.0.1:${port}/`, 150)).toEqual({
    kind: 'unknown',
    reason: 'timeout; the request may have arrived',
  });
  for (const socket of open) socket.destroy();
});

test('OUT-1 what the watch never saw is not taken for unsent: a port that fetch refuses to call', async () => {
  expect(await send('http://127.0.0.1:1/')).toMatchObject({ kind: 'unknown' });
});

test('OUT-1 a name that does not resolve is a retry', async () => {
  expect(await send('http://nobody.invalid/', 30_000)).toMatchObject({ kind: 'retry' });
});

test('OUT-1 a lease lost while connecting is a retry, told apart from a timeout', async () => {
  const lease = new AbortController();
  const port = await listening(createServer((socket) => (lease.abort(), socket.destroy())));
  const outcome = await send(`https://127.0.0.1:${port}/`, 5_000, lease.signal);
  expect(outcome).toEqual({ kind: 'retry', reason: 'stopped; nothing was sent' });
});

test('OUT-1 parallel requests to one host are told apart', async () => {
  const silent = await listening(createServer((socket) => void socket.on('data', () => socket.resetAndDestroy())));
  const sends = ['http', 'https', 'http', 'https'].map((scheme) => send(`${scheme}://127.0.0.1:${silent}/`));
  expect((await Promise.all(sends)).map(({ kind }) => kind)).toEqual(['unknown', 'retry', 'unknown', 'retry']);
});

test('B051 a connection reset before it stands is a retry, one reset behind the request is unknown', async () => {
  const early = await listening(createServer((socket) => socket.resetAndDestroy()));
  const late = await listening(createServer((socket) => void socket.on('data', () => socket.resetAndDestroy())));
  expect(await send(`https://127.0.0.1:${early}/`)).toMatchObject({ kind: 'retry' });
  expect(await send(`http://127.0.0.1:${late}/`)).toMatchObject({ kind: 'unknown' });
});

test('OUT-1 a status whose body breaks off or never ends is still an answer', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n';
  const broken = await listening(createServer((socket) => void socket.once('data', () => socket.end(`${head}abc`))));
  expect(await send(`http://127.0.0.1:${broken}/`)).toMatchObject({ kind: 'answer', status: 200, body: '' });
  const endless = await listening(
    createServer((socket) => void socket.once('data', () => socket.end(head + 'x'.repeat(900_000))).on('error', () => undefined)),
  );
  const answer = await send(`http://127.0.0.1:${endless}/`);
  expect(answer.kind === 'answer' && answer.body.length).toBe(64 * 1024);
});

test.each([
  ['7', 7000],
  ['0', 0],
  ['Mon, 01 Dec 2025 00:00:30 GMT', 30_000],
  ['Sun, 30 Nov 2025 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('OUT-1 Retry-After %s is a floor of %s ms', (value, ms) => {
  const headers = new Headers(value === undefined ? {} : { 'retry-after': value });
  expect(retryAfterMs(headers, Date.parse('2025-12-01T00:00:00Z'))).toBe(ms);
});
