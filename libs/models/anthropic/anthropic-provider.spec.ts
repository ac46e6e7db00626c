import { expect, test } from 'vitest';
import type { ChatMessage } from '#contracts';
import { answers, collect, KEY, REQUEST, serve } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { anthropicWire } from '../../../test/fakes/wires/anthropic-wire.js';
import { toMessages } from './anthropic-messages.js';
import { AnthropicProvider } from './anthropic-provider.js';

modelContract('anthropic', {
  wire: anthropicWire,
  provider: (options) => new AnthropicProvider({ apiKey: KEY, ...options }),
});

test('MO-5 the end of a request is marked for the cache, and so is what came before the newest question while its tools run', () => {
  const said = (text: string): ChatMessage => ({ role: 'user', text });
  const calls = (id: string): ChatMessage => ({
    role: 'assistant',
    text: '',
    toolCalls: [{ id, name: 'read', arguments: '{}' }],
  });
  const result = (callId: string): ChatMessage => ({ role: 'tool', callId, name: 'read', text: 'row', isError: false });
  const answer: ChatMessage = { role: 'assistant', text: 'done', toolCalls: [] };
  const history = [said('one'), calls('a'), result('a'), answer];
  /** Of each message, which of its blocks. */
  const marks = (messages: ChatMessage[]) =>
    toMessages({ messages }, { provider: 'anthropic', model: 'm' }).flatMap(({ content }, at) =>
      (Array.isArray(content) ? content : []).flatMap((block, nth) =>
        JSON.stringify(block).includes('cache_control') ? [`${at}.${nth}`] : [],
      ),
    );
  expect(marks([said('one')])).toEqual(['0.0']);
  expect(marks([...history, said('two'), said('and three')])).toEqual(['3.0', '4.1']);
  expect(marks([...history, said('two'), calls('b'), result('b')])).toEqual(['3.0', '6.0']);
  expect(marks([...history, said('two'), calls('b'), result('b'), answer, said('four')])).toEqual(['7.0', '8.0']);
});

test('MO-5 a conversation that grows finds all of its last request in the cache', async () => {
  let cached = '';
  const found: boolean[] = [];
  const { provider } = await serve(
    { wire: anthropicWire, provider: (o) => new AnthropicProvider({ apiKey: KEY, ...o }) },
    (response, body, request) => {
      expect(anthropicWire.problems(JSON.parse(body))).toEqual([]);
      const now = prefixes(JSON.parse(body) as Body);
      found.push(cached === '' || now.all.includes(cached));
      expect(now.marked.at(-1)).toBe(now.all.at(-1));
      cached = now.marked.at(-1) ?? '';
      answers(
        anthropicWire,
        ...anthropicWire.opening(),
        anthropicWire.text('ok'),
        ...anthropicWire.closing('stop'),
      )(response, body, request);
    },
  );
  const tools = [{ name: 'read', description: 'd', parameters: { type: 'object', properties: {} } }];
  const messages: ChatMessage[] = [];
  for (let step = 0; step < 6; step += 1) {
    const id = `c${step}`;
    messages.push(
      step % 3 === 0
        ? { role: 'user', text: `question ${step}` }
        : { role: 'tool', callId: `c${step - 1}`, name: 'read', text: 'row', isError: false },
    );
    await collect(provider, { ...REQUEST, tools, messages });
    messages.push({ role: 'assistant', text: 'ok', toolCalls: step % 3 === 2 ? [] : [{ id, name: 'read', arguments: '{}' }] });
  }
  expect(found).toEqual(Array.from({ length: 6 }, () => true));
});

interface Body {
  tools: object[];
  system: object[];
  messages: { role: string; content: object[] }[];
}

/** What the server hashes: everything up to each block, marked or not; the markers are no part of it. */
function prefixes({ tools, system, messages }: Body): { all: string[]; marked: string[] } {
  const blocks = [...tools, ...system, ...messages.flatMap(({ role, content }) => content.map((block) => ({ role, block })))];
  const bare = blocks.map((block) => JSON.stringify(block).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
  const all = bare.map((_, at) => bare.slice(0, at + 1).join());
  return { all, marked: all.filter((_, at) => JSON.stringify(blocks[at]).includes('cache_control')) };
}
