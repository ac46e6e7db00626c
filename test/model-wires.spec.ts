import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PLAIN_TEXT, runTurn, type ModelEvent, type ModelProvider, type ModelRequest } from '#agent';
import { systemClock } from '#kernel';
import { modelProvider } from '#models';
import { nativeTools } from '#tools';
import { startModelServer, type ModelServer } from './fakes/model-server.js';

const never = new AbortController().signal;
const asks = (text: string): ModelRequest => ({
  model: 'gpt-4o',
  system: 'be kind',
  messages: [{ role: 'user', text }],
  tools: [],
});

async function collect(provider: ModelProvider, request: ModelRequest, signal = never) {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}
const textOf = (events: ModelEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe.each([
  { api: 'openai-chat', path: '/v1' },
  { api: 'openai-responses', path: '/v1' },
  { api: 'anthropic', path: '' },
  { api: 'google', path: '' },
  { api: 'ollama', path: '' },
] as const)('the wire of $api as others wrote it (aimock)', ({ api, path }) => {
  const mock = new LLMock({ port: 0, chunkSize: 5 });
  let provider: ModelProvider;
  beforeAll(async () => {
    const weather = [
      { id: 'call_1', name: 'weather', arguments: '{"city":"上海","unit":"c"}' },
      { id: 'call_2', name: 'weather', arguments: '{"city":"Berlin"}' },
    ];
    mock.onMessage('hello', { content: 'Hi there, 你好!' });
    mock.onMessage('weather', { toolCalls: weather });
    mock.onMessage('cut', { content: 'this text is cut in the middle' }, { truncateAfterChunks: 3 });
    mock.on(
      { userMessage: 'battery', hasToolResult: false },
      { toolCalls: [{ name: 'calculator', arguments: '{"expression":"9*9"}' }] },
    );
    mock.on({ userMessage: 'battery', hasToolResult: true }, { content: 'It is at 81%.' });
    await mock.start();
    provider = modelProvider(api, { id: api, apiKey: 'mock', baseUrl: `${mock.url}${path}`, idleTimeoutMs: 60_000 });
  });
  afterAll(() => mock.stop());

  test('MO-1 MO-2 a text arrives in pieces, with usage and a stop', async () => {
    const events = await collect(provider, asks('hello'));
    expect(textOf(events)).toBe('Hi there, 你好!');
    expect(events.filter((event) => event.type === 'text').length).toBeGreaterThan(1);
    expect(events.find((event) => event.type === 'usage')).toMatchObject({
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'stop' });
  });

  test('MO-2 two tool calls come whole out of their pieces', async () => {
    const events = await collect(provider, asks('weather'));
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event] : []));
    expect(calls.map((call) => call.name)).toEqual(['weather', 'weather']);
    expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ city: '上海', unit: 'c' }, { city: 'Berlin' }]);
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
  });

  test('TU-2 a whole turn: call, result, answer', async () => {
    const tools = nativeTools({ message: { defaultDeliveryMode: 'immediate', fallbackToBatchOnError: true } });
    const refuse = () => Promise.reject(new Error('nothing is sent here'));
    const result = await runTurn(
      {
        turn: 't~1',
        session: 's',
        tenant: 'acme',
        system: '',
        model: 'gpt-4o',
        history: [],
        user: [{ role: 'user', text: 'battery' }],
        journal: [],
        tools,
      },
      {
        provider,
        step: async () => ({ cancelled: false, joins: false }),
        sends: { canSendNow: true, abilities: PLAIN_TEXT, findMessage: refuse, now: refuse, atEnd: refuse },
        emit: () => undefined,
        clock: systemClock,
      },
      never,
    );
    expect(result).toMatchObject({ text: 'It is at 81%.', steps: 2 });
    expect(result.messages[1]).toMatchObject({ role: 'tool', name: 'calculator', text: '81', isError: false });
  });

  test.each([
    [429, 'rate_limit', 'TransientError'],
    [500, 'server_error', 'TransientError'],
    [401, 'auth', 'TerminalError'],
  ])('MO-1 an injected %i is %s', async (status, code, name) => {
    mock.nextRequestError(status, { message: 'injected' });
    await expect(collect(provider, asks('hello'))).rejects.toMatchObject({ name, code });
    expect(textOf(await collect(provider, asks('hello')))).toBe('Hi there, 你好!');
  });

  test('TU-8 a stream cut in the middle is an error, never an answer', async () => {
    await expect(collect(provider, asks('cut'))).rejects.toMatchObject({ name: 'TransientError' });
  });
});

describe('the judge server that other tests use', () => {
  const servers: ModelServer[] = [];
  const start = async (...args: Parameters<typeof startModelServer>) => {
    const server = await startModelServer(...args);
    servers.push(server);
    return {
      server,
      provider: modelProvider('openai-chat', { id: 'openai', apiKey: 'k', baseUrl: server.baseUrl, idleTimeoutMs: 60_000 }),
    };
  };
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test('TU-1 every call gets a text of its own and is recorded', async () => {
    const { server, provider } = await start();
    const texts = [textOf(await collect(provider, asks('a'))), textOf(await collect(provider, asks('b')))];
    expect(new Set(texts).size).toBe(2);
    expect(texts[0]).toMatch(/^nonce /);
    expect(
      server.calls.map(({ index, aborted, authorization, body }) => [
        index,
        aborted,
        authorization,
        body.messages.at(-1)?.content,
      ]),
    ).toEqual([
      [0, false, 'Bearer k', 'a'],
      [1, false, 'Bearer k', 'b'],
    ]);
  });

  test('MO-2 scripted text, calls, pace and cuts come over the wire', async () => {
    const toolCalls = [
      { id: 'a', name: 'f', arguments: { x: '好' } },
      { name: 'g', arguments: '{"bro' },
    ];
    const { provider } = await start({
      answer: (_request, { index }) =>
        index === 0 ? { text: '两段😀 text that is long', toolCalls, chunkDelayMs: 1 } : { text: 'cut', cutAfter: 2 },
    });
    const events = await collect(provider, asks('a'));
    expect(textOf(events)).toBe('两段😀 text that is long');
    expect(events.filter((event) => event.type === 'tool_call')).toMatchObject([
      { id: 'a', name: 'f', arguments: '{"x":"好"}' },
      { name: 'g', arguments: '{"bro' },
    ]);
    await expect(collect(provider, asks('b'))).rejects.toMatchObject({ name: 'TransientError' });
  });

  test('MO-1 a scripted status comes with its wait', async () => {
    const { provider } = await start({ answer: () => ({ status: 429, retryAfter: 3 }) });
    await expect(collect(provider, asks('a'))).rejects.toMatchObject({ code: 'rate_limit', retryAfterMs: 3000 });
  });

  test('QU-3 a call that hangs is seen as aborted when its client gives up', async () => {
    const { server, provider } = await start({ answer: () => ({ hang: true }) });
    const stop = new AbortController();
    const answer = collect(provider, asks('a'), stop.signal);
    const call = await server.called(1);
    expect(call.aborted).toBe(false);
    stop.abort(new Error('/stop'));
    await expect(answer).rejects.toThrow('/stop');
    await call.ended;
    expect(call.aborted).toBe(true);
  });
});
