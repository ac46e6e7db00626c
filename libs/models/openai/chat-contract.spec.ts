import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { answers, collect, KEY, REQUEST, serve, type ModelContract } from '../../../test/fakes/hostile-model-server.js';
import { openaiChatWire } from '../../../test/fakes/wires/openai-chat-wire.js';
import { sse } from '../../../test/fakes/wires/wire.js';
import { modelContract } from '../../../test/model-contract.js';
import { toMessages } from './chat-messages.js';
import { OpenAiChatProvider, type ChatOptions } from './chat-provider.js';

const contract = {
  wire: openaiChatWire,
  provider: (options: Pick<ChatOptions, 'baseUrl' | 'quirks'>) => new OpenAiChatProvider({ apiKey: KEY, ...options }),
} satisfies ModelContract;

modelContract('openai chat', contract);

test('MO-4 a server that wants ids of nine characters gets them, the same one for a call and its result', async () => {
  let sent = '';
  const nine = {
    provider: (options: { baseUrl: string }) => contract.provider({ ...options, quirks: { nineCharacterCallIds: true } }),
  };
  const { provider } = await serve({ ...contract, ...nine }, (response, body, request) => {
    sent = body;
    answers(openaiChatWire, ...openaiChatWire.closing('stop'))(response, body, request);
  });
  const toolCalls = ['toolu_01A', 'toolu_01B', 'D681PevKs'].map((id) => ({ id, name: 'now', arguments: '{}' }));
  const results = toolCalls.map(({ id, name }) => ({ role: 'tool' as const, callId: id, name, text: id, isError: false }));
  await collect(provider, {
    ...REQUEST,
    messages: [...REQUEST.messages, { role: 'assistant', text: '', toolCalls }, ...results],
  });
  expect(openaiChatWire.problems(JSON.parse(sent))).toEqual([]);
  const ids = [...sent.matchAll(/"(?:id|tool_call_id)":"([^"]*)"/g)].map(([, id = '']) => id);
  expect(ids).toEqual(Array.from({ length: 6 }, () => expect.stringMatching(/^[A-Za-z0-9]{9}$/) as string));
  expect(new Set(ids).size).toBe(3);
  expect(ids[2]).toBe('D681PevKs');
});

test('B054 a call whose pieces have no index, and no id or name but the first, keeps its arguments', async () => {
  const piece = (call: object, rest: object = {}) =>
    sse({ choices: [{ delta: { content: null, tool_calls: [call] }, ...rest }] });
  const { provider } = await serve(
    contract,
    answers(
      openaiChatWire,
      piece({ id: 'c1', type: 'function', function: { name: 'read', arguments: '' } }),
      piece({ function: { arguments: '{"pa' } }),
      piece({ function: { arguments: 'th":"a.txt"}' } }),
      sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }),
      sse({ choices: [{ delta: { content: null }, finish_reason: 'tool_calls' }] }),
    ),
  );
  expect(await collect(provider)).toEqual([
    { type: 'tool_call_start', index: 0, name: 'read' },
    { type: 'tool_call_delta', index: 0, arguments: '{"pa' },
    { type: 'tool_call_delta', index: 0, arguments: 'th":"a.txt"}' },
    { type: 'usage', usage: { inputTokens: 3, outputTokens: 2 } },
    { type: 'tool_call', id: 'c1', name: 'read', arguments: '{"path":"a.txt"}' },
    { type: 'stop', reason: 'tool_calls' },
  ]);
});

test('MO-4 messages of one role in a row are one, so that the templates of local models take them', async () => {
  const said = { role: 'assistant' as const, toolCalls: [] };
  const image = { channel: 'c', account: 'a', ref: 'r' };
  const sent = toMessages({
    ...REQUEST,
    system: '',
    messages: [
      { ...said, text: 'Welcome!' },
      { ...said, text: 'How are' },
      { ...said, text: 'you?', interrupted: true },
      { role: 'user', text: 'fine' },
      { role: 'user', text: 'look', images: [image] },
    ],
  });
  expect(sent).toEqual([
    { role: 'user', content: '(The conversation begins.)' },
    { role: 'assistant', content: 'Welcome!\n\nHow are\n\nyou?\n[interrupted]' },
    { role: 'user', content: 'fine\n\nlook\n[Image 1 is not shown: this model reads no images.]' },
  ]);
});

test('B090 300 answers stopped in the middle: each socket is closed at once, and no listener and no socket stays', async () => {
  const open = new Map<Socket, Promise<unknown>>();
  const { provider } = await serve(contract, (response, _, { socket }) => {
    open.set(
      socket,
      once(socket, 'close').then(() => open.delete(socket)),
    );
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(openaiChatWire.opening().join('') + openaiChatWire.text('word '));
  });
  const turn = new AbortController();
  const warnings: unknown[] = [];
  const warned = (warning: unknown) => void warnings.push(warning);
  process.on('warning', warned);
  const most: number[] = [];
  for (let nth = 0; nth < 300; nth += 1) {
    const stop = new AbortController();
    const both = AbortSignal.any([turn.signal, stop.signal]);
    const answer = (async () => {
      for await (const event of provider.stream(REQUEST, both)) if (event.type === 'text') stop.abort(new Error('/stop'));
    })();
    await expect(answer).rejects.toThrow('/stop');
    const stopped = performance.now();
    await Promise.all(open.values());
    most.push(performance.now() - stopped);
  }
  process.off('warning', warned);
  expect(Math.max(...most)).toBeLessThan(1000);
  expect([getEventListeners(turn.signal, 'abort'), warnings]).toEqual([[], []]);
});
