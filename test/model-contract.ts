import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import { answers, collect, KEY, REQUEST, serve, textOf, USAGE, type ModelContract } from './fakes/hostile-model-server.js';
import { conversations } from './conversation-arbitraries.js';
import { imageContract } from './image-contract.js';
import { streamContract } from './model-stream-contract.js';
import { toolSchemaContract } from './tool-schema-contract.js';

/** What every provider promises, whatever its wire: whole answers or errors, told apart the same way (MO-1, MO-2, MO-3). */
export function modelContract(name: string, contract: ModelContract): void {
  const { wire } = contract;
  const whole = (...frames: string[]) => answers(wire, ...wire.opening(USAGE), ...frames, ...wire.closing('stop', USAGE));

  streamContract(name, contract);
  toolSchemaContract(name, contract);
  imageContract(name, contract);

  describe(`model contract: ${name}`, () => {
    test('MO-2 a text comes in pieces, then what was counted, and the stop comes last', async () => {
      const { provider } = await serve(contract, whole(wire.text('Hi '), wire.keepAlive, wire.text('你好')));
      const events = await collect(provider);
      expect(textOf(events)).toBe('Hi 你好');
      expect(events.filter(({ type }) => type === 'text')).toHaveLength(2);
      expect(events.findLast(({ type }) => type === 'usage')).toMatchObject({ usage: USAGE });
      expect(events.at(-1)).toEqual({ type: 'stop', reason: 'stop' });
    });

    test('MO-2 calls come whole out of their pieces, several of them, one without arguments', async () => {
      const frames = wire.calls([
        { id: 'call_1', name: 'weather', pieces: ['{"city"', ':"上海"', '}'] },
        { id: 'call_2', name: 'now', pieces: [] },
      ]);
      const { provider } = await serve(
        contract,
        answers(wire, ...wire.opening(), wire.text('let me see'), ...frames, ...wire.closing('tool_calls', USAGE)),
      );
      const events = await collect(provider);
      const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event] : []));
      expect(calls.map((call) => call.name)).toEqual(['weather', 'now']);
      expect(calls.map((call) => JSON.parse(call.arguments || '{}') as unknown)).toEqual([{ city: '上海' }, {}]);
      // A wire without ids says none; the turn gives each call one of its own.
      const ids = calls.map(({ id }) => id).filter(Boolean);
      expect(new Set(ids).size).toBe(ids.length);
      expect(textOf(events)).toBe('let me see');
      expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
    });

    test.each(wire.stops)('MO-2 the reason %s of a stop is told', async (reason) => {
      const { provider } = await serve(
        contract,
        answers(wire, ...wire.opening(), wire.text('x'), ...wire.closing(reason, USAGE)),
      );
      expect((await collect(provider)).at(-1)).toEqual({ type: 'stop', reason });
    });

    test('TU-8 reasoning never counts as text', async () => {
      const { provider } = await serve(contract, whole(wire.reasoning('hmm'), wire.text('yes')));
      const events = await collect(provider);
      expect(textOf(events)).toBe('yes');
      expect(events.find(({ type }) => type === 'reasoning')).toEqual({ type: 'reasoning', text: 'hmm' });
    });

    test('TU-8 an answer that is not ended is an error, however it breaks off', async () => {
      const half = [...wire.opening(), wire.text('half')];
      const ended = await serve(contract, answers(wire, ...half));
      // Some SDKs notice it themselves.
      const code = expect.stringMatching(/^(?:stream_truncated|network)$/) as string;
      await expect(collect(ended.provider)).rejects.toMatchObject({ name: 'TransientError', code });
      const cut = await serve(contract, (response) => {
        response.writeHead(200, { 'content-type': wire.contentType });
        response.write(half.join(''), () => response.destroy());
      });
      await expect(collect(cut.provider)).rejects.toMatchObject({ name: 'TransientError' });
      const garbage = await serve(contract, answers(wire, wire.text('half').slice(0, -9), '\n\n'));
      await expect(collect(garbage.provider)).rejects.toMatchObject({ name: 'TransientError' });
    });

    test('MO-2 an error in the middle of an answer is an error, and the key is in no message', async () => {
      const { provider } = await serve(
        contract,
        answers(wire, ...wire.opening(), wire.text('a'), wire.errorInStream(`busy ${KEY}`)),
      );
      const failure = await collect(provider).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ name: 'TransientError' });
      expect(String(failure)).not.toContain(KEY);
    });

    test('MO-2 an abort closes the socket and rejects with the reason of the signal', async () => {
      const { provider, closed } = await serve(contract, (response) => {
        response.writeHead(200, { 'content-type': wire.contentType });
        response.write([...wire.opening(), wire.text('one')].join(''));
      });
      const stop = new AbortController();
      const seen = (async () => {
        for await (const event of provider.stream(REQUEST, stop.signal))
          if (event.type === 'text') stop.abort(new Error('/stop'));
      })();
      const aborted = once(stop.signal, 'abort').then(() => performance.now());
      await expect(seen).rejects.toThrow('/stop');
      await closed;
      expect(performance.now() - (await aborted)).toBeLessThan(1000);
    });

    test('MO-2 an abort before the first byte closes the socket too', async () => {
      const stop = new AbortController();
      const { provider, closed } = await serve(contract, () => stop.abort(new Error('/stop')));
      await expect(collect(provider, REQUEST, stop.signal)).rejects.toThrow('/stop');
      await closed;
    });

    test.each([false, true])('MO-2 a server that falls silent is given up by the watchdog (head sent: %j)', async (head) => {
      const { provider, closed } = await serve(
        contract,
        (response) => head && response.writeHead(200, { 'content-type': wire.contentType }).flushHeaders(),
        { idleTimeoutMs: 200 },
      );
      await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError', code: 'timeout' });
      await closed;
    });

    test.each([
      [400, 'TerminalError', 'format'],
      [401, 'TerminalError', 'auth'],
      [403, 'TerminalError', 'auth'],
      [402, 'TerminalError', 'billing'],
      [404, 'TerminalError', 'model_not_found'],
      [413, 'TerminalError', 'context_overflow'],
      [408, 'TransientError', 'timeout'],
      [429, 'TransientError', 'rate_limit'],
      [500, 'TransientError', 'server_error'],
      [502, 'TransientError', 'server_error'],
      [529, 'TransientError', 'overloaded'],
    ])('MO-3 %i is %s %s, with the time to wait, and the key is in no message', async (status, errorName, code) => {
      const { provider } = await serve(contract, (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'retry-after': '3' })
          .end(wire.error(status, `no, ${KEY}`)),
      );
      const failure = await collect(provider).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({ name: errorName, code });
      if (errorName === 'TransientError') expect(failure).toMatchObject({ retryAfterMs: 3000 });
      expect(String(failure)).not.toContain(KEY);
      expect(failure).not.toHaveProperty('cause');
    });

    test('MO-3 a server that cannot be reached is worth another try', async () => {
      const provider = contract.provider({ baseUrl: 'http://127.0.0.1:9' });
      await expect(collect(provider)).rejects.toMatchObject({ name: 'TransientError', code: 'network' });
    });

    test.each([
      'prompt is too long: 210000 tokens > 200000 maximum',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ])('TU-6 "%s" is an overflow of the window', async (message) => {
      const { provider } = await serve(contract, (response) =>
        response.writeHead(400, { 'content-type': 'application/json' }).end(wire.error(400, message)),
      );
      await expect(collect(provider)).rejects.toMatchObject({ name: 'TerminalError', code: 'context_overflow' });
    });

    test('MO-4 whatever the conversation, a strict server accepts the request', async () => {
      let problems: string[] = [];
      const { provider } = await serve(contract, (response, body, request) => {
        problems = wire.problems(JSON.parse(body));
        whole(wire.text('ok'))(response, body, request);
      });
      await fc.assert(
        fc.asyncProperty(conversations, async (messages) => {
          await collect(provider, { ...REQUEST, messages, tools: [TOOL, ODD_TOOL] });
          expect(problems).toEqual([]);
        }),
        { numRuns: 60 },
      );
    });

    test('MO-5 the request begins with the same bytes when only the conversation has grown', async () => {
      const bodies: string[] = [];
      const { provider } = await serve(contract, (response, body, request) => {
        bodies.push(body);
        whole(wire.text('ok'))(response, body, request);
      });
      const first: ChatMessage[] = [{ role: 'user', text: 'hi' }];
      await collect(provider, { ...REQUEST, messages: first, tools: [TOOL] });
      const more: ChatMessage[] = [...first, { role: 'assistant', text: 'ok', toolCalls: [] }, { role: 'user', text: 'and?' }];
      await collect(provider, { ...REQUEST, messages: more, tools: [TOOL] });
      const [before = {}, after = {}] = bodies.map((body) => JSON.parse(body) as Record<string, unknown>);
      const { rest: fixedBefore, said: saidBefore } = split(before);
      const { rest: fixedAfter, said: saidAfter } = split(after);
      expect(fixedAfter).toBe(fixedBefore);
      expect(saidAfter.slice(0, saidBefore.length)).toEqual(saidBefore);
    });
  });
}

/**
 * Where the wires keep the conversation; the rest of a request must not change between two turns. Where the end of what is to be
 * cached is marked is no part of what is cached.
 */
function split(body: Record<string, unknown>): { rest: string; said: unknown[] } {
  const { messages, input, contents, ...rest } = body;
  const said = [messages, input, contents].flatMap((list) => (Array.isArray(list) ? list : []));
  const unmarked = JSON.stringify(said).replaceAll(',"cache_control":{"type":"ephemeral"}', '');
  return { rest: JSON.stringify(rest), said: JSON.parse(unmarked) as unknown[] };
}

const TOOL = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** As servers of tools write them. */
const ODD_TOOL = {
  name: 'place',
  description: 'Where a thing is.',
  parameters: { $ref: '#/$defs/place', oneOf: [true], $defs: { place: { anyOf: [{ required: ['id'] }, { $ref: '#' }] } } },
};
