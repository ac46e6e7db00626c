import { expect, test } from 'vitest';
import { answers, collect, KEY, serve, type ModelContract } from '../../../test/fakes/hostile-model-server.js';
import { openaiChatWire } from '../../../test/fakes/wires/openai-chat-wire.js';
import { sse } from '../../../test/fakes/wires/wire.js';
import { modelContract } from '../../../test/model-contract.js';
import { OpenAiChatProvider } from './chat-provider.js';

const contract: ModelContract = {
  wire: openaiChatWire,
  provider: (options) => new OpenAiChatProvider({ apiKey: KEY, ...options }),
};

modelContract('openai chat', contract);

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
