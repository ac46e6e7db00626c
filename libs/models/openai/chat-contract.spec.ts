import { expect, test } from 'vitest';
import { answers, collect, KEY, REQUEST, serve, type ModelContract } from '../../../test/fakes/hostile-model-server.js';
import { openaiChatWire } from '../../../test/fakes/wires/openai-chat-wire.js';
import { sse } from '../../../test/fakes/wires/wire.js';
import { modelContract } from '../../../test/model-contract.js';
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
