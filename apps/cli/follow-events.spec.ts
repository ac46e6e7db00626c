import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ApiClient } from './api-client.js';
import { followEvents } from './follow-events.js';

type Exchange = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers one request after the other as told, the last one ever again. */
async function serve(...exchanges: Exchange[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    exchanges[Math.min(asked.length, exchanges.length) - 1]?.(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { asked, api: new ApiClient({ url, token: 'a-token' }, 's', 1), close };
}

const stream =
  (text: string, then: 'cut' | 'end' | 'open'): Exchange =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (then === 'cut') response.destroy();
      if (then === 'end') response.end();
    });
  };
const refuse =
  (status: number): Exchange =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ detail: `no: ${status}` }));
const delta = (id: string, text: string) =>
  `id: ${id}\nevent: text.delta\ndata: ${JSON.stringify({ type: 'text.delta', turn: 't', fence: '1.1.a', step: 1, offset: 0, text })}\n\n`;

test('IN-5 a stream that is cut, ends, or is refused for a while is taken up behind the last event', async () => {
  const { asked, api, close } = await serve(
    // Told at the start: a cut before the first event loses nothing either.
    stream('id: 4-0\n\n', 'cut'),
    stream(`: hello\n\n${delta('5-0', 'a')}event: later.kind\nid: 5-1\ndata: {}\n\n`, 'end'),
    refuse(503),
    stream(delta('6-0', 'b'), 'open'),
  );
  const leaving = new AbortController();
  const texts: string[] = [];
  for await (const event of await followEvents(api, leaving.signal)) {
    if (event.type === 'text.delta') texts.push(event.text);
    if (texts.length === 2) leaving.abort();
  }
  expect(texts).toEqual(['a', 'b']);
  expect(asked).toEqual([undefined, '4-0', '5-1', '5-1']);
  close();
});

test('IN-6 access that is refused ends it with the sentence of the server', async () => {
  const { api, close } = await serve(stream(delta('5-0', 'a'), 'end'), refuse(403));
  const read = async () => {
    for await (const _ of await followEvents(api, new AbortController().signal));
  };
  await expect(read()).rejects.toMatchObject({ exitCode: 77, message: 'no: 403' });
  close();
});
