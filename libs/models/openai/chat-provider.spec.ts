import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ModelEvent, ModelRequest } from '#agent';
import { OpenAiChatProvider } from './chat-provider.js';
import type { OpenAiOptions } from './openai-provider.js';

const REQUEST: ModelRequest = { model: 'm', system: 'be kind', messages: [{ role: 'user', text: 'hi' }], tools: [] };
const KEY = 'sk-secret-key';
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** A bare server, because these are the streams that well-behaved servers never send. */
async function serve(respond: (response: ServerResponse, body: string) => void, options: Partial<OpenAiOptions> = {}) {
  const closed = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    response.once('close', () => closed.resolve());
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    respond(response, body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { provider: new OpenAiChatProvider({ apiKey: KEY, baseUrl, ...options }), closed: closed.promise };
}

const sse = (chunks: unknown[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
const choice = (delta: unknown, finish_reason: string | null = null) => ({ choices: [{ index: 0, delta, finish_reason }] });
const streams = (chunks: unknown[]) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${sse(chunks)}data: [DONE]\n\n`);
};

async function collect(provider: OpenAiChatProvider, request = REQUEST, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

describe('the stream', () => {
  test('MO-2 usage comes in the last chunk, null content and empty choices are no error, the stop comes last', async () => {
    const { provider } = await serve(
      streams([
        choice({ role: 'assistant', content: null }),
        { choices: [] },
        choice({ content: 'hi' }),
        choice(undefined),
        choice({}, 'stop'),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } },
      ]),
    );
    expect(await collect(provider)).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } },
      { type: 'stop', reason: 'stop' },
    ]);
  });

  test('MO-2 TU-8 calls come whole, after the text; reasoning never counts as text', async () => {
    const tool = (rest: object) => choice({ tool_calls: [rest] });
    const { provider } = await serve(
      streams([
        choice({ reasoning_content: 'hmm' }),
        tool({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
        tool({ index: 1, id: 'b', function: { name: 'g', arguments: '' } }),
        tool({ index: 0, function: { arguments: ':1}' } }),
        choice({}, 'stop'),
      ]),
    );
    expect((await collect(provider)).filter(({ type }) => !type.startsWith('tool_call_'))).toEqual([
      { type: 'reasoning', text: 'hmm' },
      { type: 'tool_call', id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'tool_call', id: 'b', name: 'g', arguments: '' },
      { type: 'stop', reason: 'tool_calls' },
    ]);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['end_of_text', 'stop'],
  ])('MO-2 the finish reason %s reads %s', async (finish, reason) => {
    const { provider } = await serve(streams([choice({ content: 'x' }, finish)]));
    expect((await collect(provider)).at(-1)).toEqual({ type: 'stop', reason });
  });

  test('TU-8 a stream that ends without a finish reason is an error, however it ends', async () => {
    const { provider } = await serve(streams([choice({ content: 'half' })]));
    await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError', code: 'stream_truncated' });
    const cut = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse([choice({ content: 'half' })]), () => response.destroy());
    });
    await expect(collect(cut.provider)).rejects.toMatchObject({ name: 'TransientError' });
    const garbage = await serve((response) =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choi\n\n'),
    );
    await expect(collect(garbage.provider)).rejects.toMatchObject({ name: 'TransientError', code: 'network' });
  });

  test('MO-2 an abort closes the socket and rejects with the reason of the signal', async () => {
    const { provider, closed } = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(sse([choice({ content: 'one' })]));
    });
    const stop = new AbortController();
    const stream = provider.stream(REQUEST, stop.signal);
    expect(await stream.next()).toMatchObject({ value: { text: 'one' } });
    const next = stream.next();
    stop.abort(new Error('/stop'));
    await expect(next).rejects.toThrow('/stop');
    await closed;
  });

  test('MO-2 an abort before the first byte closes the socket too', async () => {
    const stop = new AbortController();
    const { provider, closed } = await serve(() => stop.abort(new Error('/stop')));
    await expect(collect(provider, REQUEST, stop.signal)).rejects.toThrow('/stop');
    await closed;
  });

  test.each([false, true])('MO-2 a server that falls silent is given up by the watchdog (head sent: %j)', async (head) => {
    const { provider, closed } = await serve(
      (response) => head && response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
      { idleTimeoutMs: 30 },
    );
    await expect(collect(provider)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'timeout',
      message: 'openai sent nothing for 0.03 s',
    });
    await closed;
  });
});

test('MO-2 the watchdog counts silence, not the length of an answer', async () => {
  let response: ServerResponse | undefined;
  const { provider } = await serve((opened) => {
    response = opened.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse([choice({ content: '0' })]));
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  cleanups.push(() => vi.useRealTimers());
  const stream = provider.stream(REQUEST, new AbortController().signal);
  for (const piece of ['0', '1', '2']) {
    expect(await stream.next()).toMatchObject({ value: { text: piece } });
    vi.advanceTimersByTime(100_000);
    response?.write(sse([choice({ content: String(Number(piece) + 1) })]));
  }
});

describe('errors', () => {
  test.each([
    [401, {}, 'TerminalError', 'auth'],
    [403, {}, 'TerminalError', 'auth'],
    [400, {}, 'TerminalError', 'format'],
    [422, {}, 'TerminalError', 'format'],
    [413, {}, 'TerminalError', 'context_overflow'],
    [404, {}, 'TerminalError', 'model_not_found'],
    [402, {}, 'TerminalError', 'billing'],
    [429, { code: 'insufficient_quota' }, 'TerminalError', 'billing'],
    [429, {}, 'TransientError', 'rate_limit'],
    [408, {}, 'TransientError', 'timeout'],
    [500, {}, 'TransientError', 'server_error'],
    [503, {}, 'TransientError', 'server_error'],
  ])('MO-1 %i %j is %s %s, and the key is in no message', async (status, error, name, code) => {
    const { provider } = await serve((response) =>
      response.writeHead(status).end(JSON.stringify({ error: { message: `no, ${KEY}`, ...error } })),
    );
    const failure = await collect(provider).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name, code, message: expect.stringContaining('no, [key]') });
    expect(failure).not.toHaveProperty('cause');
  });

  test.each([
    [400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
    [400, 'Please reduce the length of the messages or completion.'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum'],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
    [400, 'Input is too long for requested model.'],
    [400, 'Range of input length should be [1, 30720]'],
    [422, 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length'],
    [500, 'the request exceeds the available context size, try increasing it'],
  ])('TU-6 %i "%s" is an overflow of the window', async (status, message) => {
    const { provider } = await serve((response) => response.writeHead(status).end(JSON.stringify({ error: { message } })));
    await expect(collect(provider)).rejects.toMatchObject({ name: 'TerminalError', code: 'context_overflow' });
  });

  test('TU-6 so is the code alone, in the head or in the middle of a stream', async () => {
    const error = { code: 'context_length_exceeded', message: 'no' };
    const answered = await serve((response) => response.writeHead(400).end(JSON.stringify({ error })));
    await expect(collect(answered.provider)).rejects.toMatchObject({ code: 'context_overflow' });
    const streamed = await serve(streams([choice({ content: 'a' }), { error }]));
    await expect(collect(streamed.provider)).rejects.toMatchObject({ code: 'context_overflow' });
  });

  test.each([
    [400, 'max_tokens is too large: 50000. This model supports at most 16384 completion tokens', 'format'],
    [429, 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000', 'rate_limit'],
  ])('TU-6 %i "%s" is none', async (status, message, code) => {
    const { provider } = await serve((response) => response.writeHead(status).end(JSON.stringify({ error: { message } })));
    await expect(collect(provider)).rejects.toMatchObject({ code });
  });

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'Mon, 30 Nov 2026 12:00:09 GMT' }, 9000],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('MO-1 the wait asked for by %j is kept', async (headers, retryAfterMs) => {
    const clock = { now: () => Date.UTC(2026, 10, 30, 12), monotonic: () => 0 };
    const { provider } = await serve((response) => response.writeHead(429, headers as Record<string, string>).end('{}'), {
      clock,
    });
    await expect(collect(provider)).rejects.toMatchObject({ code: 'rate_limit', retryAfterMs });
  });

  test('MO-1 an unreachable server is worth another try, and the message says why', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const provider = new OpenAiChatProvider({ apiKey: KEY, baseUrl: `http://127.0.0.1:${port}/v1` });
    await expect(collect(provider)).rejects.toMatchObject({
      name: 'TransientError',
      code: 'network',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('MO-2 an error inside the stream is an error', async () => {
    const { provider } = await serve(
      streams([choice({ content: 'x' }), { error: { message: 'overloaded', code: 'overloaded' } }]),
    );
    await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError', code: 'overloaded' });
  });
});

test('MO-2 the request carries the whole conversation in a form that every compatible server takes', async () => {
  const bodies: string[] = [];
  const { provider } = await serve((response, body) => {
    bodies.push(body);
    streams([choice({ content: 'ok' }, 'stop')])(response);
  });
  await collect(provider, {
    model: 'm',
    system: 'be kind',
    tools: [{ name: 'f', description: 'd', parameters: { type: 'object' } }],
    messages: [
      { role: 'user', text: 'hi' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'f x', arguments: '{"x":' }] },
      { role: 'tool', callId: 'a', name: 'f x', text: 'broken', isError: true },
      { role: 'assistant', text: 'so I', toolCalls: [], interrupted: true },
    ],
  });
  expect(JSON.parse(bodies[0] ?? '')).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } } }],
    messages: [
      { role: 'system', content: 'be kind' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f_x', arguments: '{"malformed":"{\\"x\\":"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'broken' },
      { role: 'assistant', content: 'so I\n[interrupted]' },
    ],
  });
  await collect(provider);
  expect(JSON.parse(bodies[1] ?? '')).not.toHaveProperty('tools');
});
