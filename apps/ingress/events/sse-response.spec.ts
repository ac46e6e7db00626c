import { connect } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { SseResponse } from './sse-response.js';

let server: FastifyInstance | undefined;
afterEach(() => server?.close());

/** Serves one stream; resolves with its URL and with the stream once somebody asks for it. */
async function serve(keepAliveMs = 60_000) {
  const stopping = new AbortController();
  server = fastify({ forceCloseConnections: true });
  const opened = new Promise<SseResponse>((resolve) => {
    server?.get('/', (_request, reply) => resolve(new SseResponse(reply, stopping.signal, keepAliveMs)));
  });
  return { url: await server.listen({ port: 0, host: '127.0.0.1' }), opened, stopping };
}

test('IN-5 an event is framed with its id, type and JSON on one line', async () => {
  const { url, opened } = await serve();
  const response = fetch(url);
  using stream = await opened;
  await stream.send('message', { text: 'two\nlines' }, '5-1');
  await stream.send('done', {});
  stream[Symbol.dispose]();
  const answer = await response;
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await answer.text()).toBe('id: 5-1\nevent: message\ndata: {"text":"two\\nlines"}\n\nevent: done\ndata: {}\n\n');
});

test('IN-5 a silent stream is kept open by comments', async () => {
  const { url, opened } = await serve(5);
  const { body } = await fetch(url);
  using _stream = await opened;
  const { value } = (await body?.getReader().read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toBe(': keep-alive\n\n');
});

test('IN-5 a client that does not read holds the sender back, one that is gone lets it go', async () => {
  const { url, opened } = await serve();
  const client = connect(Number(new URL(url).port), '127.0.0.1').pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  using stream = await opened;
  const chunk = { text: 'x'.repeat(1_000_000) };
  let sent = 0;
  const sending = (async () => {
    while (!stream.signal.aborted && sent < 1000) {
      await stream.send('message', chunk);
      sent++;
    }
  })();
  await expect.poll(() => sent).toBeGreaterThan(0);
  client.destroy();
  await sending;
  expect(stream.signal.aborted).toBe(true);
  expect(sent).toBeLessThan(1000);
});

test('IN-5 a server that stops ends it', async () => {
  const { url, opened, stopping } = await serve();
  await fetch(url);
  using stream = await opened;
  stopping.abort();
  expect(stream.signal.aborted).toBe(true);
  await stream.send('message', {});
});
