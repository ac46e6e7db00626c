import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '#agent';
import {
  answers,
  collect,
  REQUEST,
  serve,
  textOf,
  USAGE,
  type ModelContract,
  type Respond,
} from './fakes/hostile-model-server.js';
import type { WireCall } from './fakes/wires/wire.js';

/** Cut in the middle of a character, which JSON writes as two escapes. */
const CALLS: readonly WireCall[] = [
  { id: 'call_1', name: 'weather', pieces: ['{"city"', ':"上海 \ud83d', '\ude00"', '}'] },
  { id: 'call_2', name: 'now', pieces: [] },
  { id: 'call_3', name: 'weather', pieces: ['{', '"city":"Köln"}'] },
];
const ARGUMENTS = [{ city: '上海 😀' }, {}, { city: 'Köln' }];

const callsOf = (events: readonly ModelEvent[]) => events.flatMap((event) => (event.type === 'tool_call' ? [event] : []));
const argumentsOf = (events: readonly ModelEvent[]) =>
  callsOf(events).map((call) => JSON.parse(call.arguments || '{}') as unknown);

/** What a stream may look like and still be the same answer, and when it is none (MO-2). */
export function streamContract(name: string, contract: ModelContract): void {
  const { wire } = contract;
  const said = [wire.reasoning('hm'), wire.text('你好 😀\n'), wire.keepAlive, wire.text('bye'), ...wire.calls(CALLS)];
  const frames = [...wire.opening(USAGE), ...said, ...wire.closing('tool_calls', USAGE)];

  /** A server that sends what it is told to, and the events that must come of it. */
  async function variants() {
    let write: Respond = answers(wire, ...frames);
    const { provider, closed } = await serve(contract, (...request) => write(...request));
    const expected = await collect(provider);
    const read = (next: Respond): Promise<ModelEvent[]> => {
      write = next;
      return collect(provider);
    };
    return { expected, read, closed };
  }

  describe(`streams of the model contract: ${name}`, () => {
    test('MO-2 a text, its reasoning and calls side by side come whole, and the stop last', async () => {
      const { expected } = await variants();
      expect(textOf(expected)).toBe('你好 😀\nbye');
      expect(argumentsOf(expected)).toEqual(ARGUMENTS);
      expect(expected.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
    });

    test('MO-2 a call is told when it begins and as its arguments come, where the wire streams them', async () => {
      const { expected } = await variants();
      const told = expected.flatMap((event) => (event.type === 'tool_call_start' ? [event] : []));
      expect(told).toEqual(
        wire.streamsCalls ? CALLS.map((call, index) => ({ type: 'tool_call_start', index, name: call.name })) : [],
      );
      const pieces = expected.flatMap((event) => (event.type === 'tool_call_delta' ? [event] : []));
      const joined = told.map(({ index }) => pieces.filter((piece) => piece.index === index).map((piece) => piece.arguments));
      expect(joined).toEqual(wire.streamsCalls ? CALLS.map((call) => call.pieces) : []);
    });

    test('MO-2 it is the same answer however its bytes are cut', async () => {
      const { expected, read } = await variants();
      const bytes = Buffer.from(frames.join(''));
      const inPieces =
        (cuts: readonly number[]): Respond =>
        (response) => {
          response.writeHead(200, { 'content-type': wire.contentType });
          // Each write is a chunk of HTTP, and reaches the reader as one.
          for (const [at, cut] of cuts.entries()) response.write(bytes.subarray(cuts[at - 1] ?? 0, cut));
          response.end(bytes.subarray(cuts.at(-1) ?? 0));
        };
      expect(await read(inPieces([...bytes.keys()].slice(1)))).toEqual(expected);
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 40 }), async (cuts) => {
          expect(await read(inPieces(cuts.toSorted((a, b) => a - b)))).toEqual(expected);
        }),
        { numRuns: 20 },
      );
    });

    test('MO-2 keep-alives and frames that say nothing change nothing, wherever they come', async () => {
      const { expected, read } = await variants();
      const fillers = [wire.keepAlive, ...wire.nothings];
      const everywhere = frames.flatMap((frame, at) => (at === 0 ? [frame] : [...fillers, frame]));
      expect(await read(answers(wire, ...everywhere))).toEqual(expected);
    });

    test('MO-2 line ends may be those of Windows, and the content type a lie', async () => {
      const { expected, read } = await variants();
      expect(await read(answers(wire, ...frames.map((frame) => frame.replaceAll('\n', '\r\n'))))).toEqual(expected);
      for (const contentType of ['text/plain', 'application/json', 'application/octet-stream'])
        expect(await read(answers({ ...wire, contentType }, ...frames))).toEqual(expected);
    });

    test.each([
      ['a page', 'text/html', '<!doctype html>\n<html><body>Please log in</body></html>\n'],
      ['an error', 'application/json', '{"error":{"message":"out of order","type":"server_error"}}'],
      ['nothing', 'text/event-stream', ''],
    ])('MO-2 TU-8 %s instead of a stream is an error', async (_, contentType, body) => {
      const { provider } = await serve(contract, answers({ ...wire, contentType }, body));
      await expect(collect(provider)).rejects.toMatchObject({ name: expect.stringMatching(/^T\w+Error$/) as string });
    });

    test('MO-2 calls without an id, or all with the same, stay apart', async () => {
      const { read } = await variants();
      for (const id of ['', 'call_1']) {
        const calls = wire.calls(CALLS.map((call) => ({ ...call, id })));
        const events = await read(answers(wire, ...wire.opening(USAGE), ...calls, ...wire.closing('tool_calls', USAGE)));
        expect(argumentsOf(events)).toEqual(ARGUMENTS);
        expect(callsOf(events).map((call) => typeof call.id)).toEqual(['string', 'string', 'string']);
      }
    });

    test('MO-2 an answer that counts nothing has no usage, and one that says nothing has no text', async () => {
      const { read } = await variants();
      const uncounted = await read(answers(wire, ...wire.opening(), wire.text('yes'), ...wire.closing('stop')));
      expect(uncounted).toEqual([
        { type: 'text', text: 'yes' },
        { type: 'stop', reason: 'stop' },
      ]);
      const silent = await read(answers(wire, ...wire.opening(USAGE), ...wire.closing('stop', USAGE)));
      expect(silent.map(({ type }) => type).filter((type) => type !== 'usage')).toEqual(['stop']);
    });

    test.each(['data: {"half', '\u0000\u0001\u0002', '<html>', '{"error":{"message":"late"}}\n\n'])(
      'MO-2 what comes behind the end is not read: %j',
      async (garbage) => {
        const { expected, read } = await variants();
        expect(await read(answers(wire, ...frames, garbage))).toEqual(expected);
      },
    );

    test('MO-2 a connection left open behind a whole answer is closed', async () => {
      const { provider, closed } = await serve(
        contract,
        (response) => {
          response.writeHead(200, { 'content-type': wire.contentType });
          response.write(frames.join(''));
        },
        // Where an end can only be told by the connection's, it takes as long as a silence may.
        { idleTimeoutMs: 300 },
      );
      expect((await collect(provider)).at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
      await closed;
    });

    test('MO-2 an answer that never ends is given up at its time limit, whatever it says', async () => {
      const { provider, closed } = await serve(
        contract,
        (response) => {
          response.writeHead(200, { 'content-type': wire.contentType });
          response.write(wire.opening(USAGE).join(''));
          const talk = setInterval(() => response.write(wire.keepAlive + wire.text('and ')), 2);
          response.once('close', () => clearInterval(talk));
        },
        { idleTimeoutMs: 30_000, totalTimeoutMs: 300 },
      );
      await expect(collect(provider, REQUEST)).rejects.toMatchObject({ name: 'TransientError', code: 'timeout' });
      await closed;
    });
  });
}
