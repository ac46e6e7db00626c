import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { answers, collect, KEY, REQUEST, serve, USAGE } from '../../../test/fakes/hostile-model-server.js';
import { openaiResponsesWire as wire } from '../../../test/fakes/wires/openai-responses-wire.js';
import { OpenAiResponsesProvider } from './responses-provider.js';

const CALLS = [
  { id: 'call_1', name: 'weather', pieces: ['{"city"', ':"上海"}'] },
  { id: 'call_2', name: 'now', pieces: [] },
];
const said = [...wire.opening(), wire.reasoning('hm'), wire.text('你好'), ...wire.nothings, ...wire.calls(CALLS)];
const whole = [...said, ...wire.closing('tool_calls', USAGE)];

/** The data of a frame: over a socket each event is a message. */
const send = (socket: WebSocket, ...frames: string[]): void => {
  for (const [, data = ''] of frames.join('').matchAll(/^data: (.*)$/gm)) socket.send(data);
};

/** @param answer what a socket does once it was asked; or the status its handshake is refused with */
async function listen(answer: ((socket: WebSocket, body: unknown) => void) | number, idleTimeoutMs = 20_000) {
  const closed = Promise.withResolvers<void>();
  const server = createServer().listen(0, '127.0.0.1');
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, raw, head) => {
    raw.once('close', () => closed.resolve());
    if (typeof answer === 'number') return raw.end(`HTTP/1.1 ${answer} No\r\nconnection: close\r\n\r\n`);
    sockets.handleUpgrade(request, raw, head, (socket) =>
      socket.on('message', (text: Buffer) => {
        answer(socket, { authorization: request.headers.authorization, url: request.url, ...JSON.parse(String(text)) });
      }),
    );
  });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = new OpenAiResponsesProvider({ apiKey: KEY, baseUrl, transport: 'websocket', idleTimeoutMs });
  return { provider, closed: closed.promise };
}

test('MO-1 MO-2 a response over a WebSocket is the one over HTTP, and its socket is closed behind it', async () => {
  const overHttp = await serve(
    { wire, provider: (o) => new OpenAiResponsesProvider({ apiKey: KEY, ...o }) },
    answers(wire, ...whole),
  );
  let request: unknown;
  const { provider, closed } = await listen((socket, body) => {
    request = body;
    send(socket, ...whole);
  });
  const [received, expected] = [await collect(provider), await collect(overHttp.provider)];
  // The other server is another account.
  const thoughts = { type: 'thought', account: provider.account };
  expect(received).toEqual(expected.map((event) => (event.type === 'thought' ? { ...event, ...thoughts } : event)));
  const { authorization, url, type, ...body } = request as Record<string, unknown>;
  expect({ authorization, url, type }).toEqual({ authorization: `Bearer ${KEY}`, url: '/v1/responses', type: 'response.create' });
  expect(wire.problems({ ...body, stream: true })).toEqual([]);
  expect(body).not.toHaveProperty('stream');
  await closed;
});

test.each([
  ['closed', (socket: WebSocket) => socket.close()],
  ['cut', (socket: WebSocket) => socket.terminate()],
  ['garbled', (socket: WebSocket) => socket.send('[]')],
])('TU-8 a response whose socket is %s in the middle is an error', async (_, end) => {
  const { provider, closed } = await listen((socket) => {
    send(socket, ...said);
    end(socket);
  });
  await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError' });
  await closed;
});

test('MO-2 a stop closes the socket, and so does silence', async () => {
  const talking = await listen((socket) => send(socket, ...said));
  const stop = new AbortController();
  const seen = (async () => {
    for await (const event of talking.provider.stream(REQUEST, stop.signal))
      if (event.type === 'text') stop.abort(new Error('/stop'));
  })();
  await expect(seen).rejects.toThrow('/stop');
  await talking.closed;
  const silent = await listen(() => undefined, 300);
  await expect(collect(silent.provider)).rejects.toMatchObject({ name: 'TransientError', code: 'timeout' });
  await silent.closed;
});

test('MO-2 a stop before the handshake has ended closes the connection', async () => {
  const stop = new AbortController();
  const { provider } = await listen(() => undefined);
  const answer = collect(provider, REQUEST, stop.signal);
  stop.abort(new Error('/stop'));
  await expect(answer).rejects.toThrow('/stop');
});

test.each([
  [401, 'TerminalError', 'auth'],
  [404, 'TerminalError', 'model_not_found'],
  [429, 'TransientError', 'rate_limit'],
  [503, 'TransientError', 'server_error'],
])('MO-3 a handshake that is refused with %i is %s %s', async (status, name, code) => {
  const { provider } = await listen(status);
  await expect(collect(provider)).rejects.toMatchObject({ name, code });
});

test.each([
  [{ code: 'context_length_exceeded', message: 'too long' }, 'context_overflow'],
  [{ status: 429, error: { type: 'rate_limit_error', code: null, message: 'slow down' } }, 'rate_limit'],
  [{ status: 400, error: { type: 'invalid_request_error', code: 'x', message: `no, ${KEY}` } }, 'format'],
])('MO-3 an error event %j is %s, and the key is in no message', async (event, code) => {
  const { provider } = await listen((socket) => socket.send(JSON.stringify({ type: 'error', ...event })));
  const failure = await collect(provider).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code });
  expect(String(failure)).not.toContain(KEY);
});

test('MO-3 a server that cannot be reached is worth another try', async () => {
  const provider = new OpenAiResponsesProvider({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9', transport: 'websocket' });
  await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError', code: 'network' });
});
