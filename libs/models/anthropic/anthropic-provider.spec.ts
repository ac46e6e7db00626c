import { expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import { KEY } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { anthropicWire } from '../../../test/fakes/wires/anthropic-wire.js';
import { toMessages } from './anthropic-messages.js';
import { AnthropicProvider } from './anthropic-provider.js';

modelContract('anthropic', {
  wire: anthropicWire,
  provider: (options) => new AnthropicProvider({ apiKey: KEY, ...options }),
});

test('MO-5 the history before the newest question is marked for the cache, and stays marked while its tools run', () => {
  const said = (text: string): ChatMessage => ({ role: 'user', text });
  const calls = (id: string): ChatMessage => ({
    role: 'assistant',
    text: '',
    toolCalls: [{ id, name: 'read', arguments: '{}' }],
  });
  const result = (callId: string): ChatMessage => ({ role: 'tool', callId, name: 'read', text: 'row', isError: false });
  const answer: ChatMessage = { role: 'assistant', text: 'done', toolCalls: [] };
  const history = [said('one'), calls('a'), result('a'), answer];
  const marks = (messages: ChatMessage[]) =>
    toMessages(messages, { provider: 'anthropic', model: 'm' }).flatMap(({ content }, at) =>
      JSON.stringify(content).includes('cache_control') ? [at] : [],
    );
  expect(marks([said('one')])).toEqual([]);
  expect(marks([...history, said('two'), said('and three')])).toEqual([3]);
  expect(marks([...history, said('two'), calls('b'), result('b')])).toEqual([3]);
  expect(marks([...history, said('two'), calls('b'), result('b'), answer, said('four')])).toEqual([7]);
});
