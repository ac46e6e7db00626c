import { describe, expect, test } from 'vitest';
import { AnswerParts, type ModelProvider, type ModelRequest } from '#agent';
import type { AssistantMessage } from '#contracts';
import { answers, KEY, serve } from '../../test/fakes/hostile-model-server.js';
import { anthropicWire } from '../../test/fakes/wires/anthropic-wire.js';
import { googleWire } from '../../test/fakes/wires/google-wire.js';
import { openaiResponsesWire } from '../../test/fakes/wires/openai-responses-wire.js';
import type { Wire } from '../../test/fakes/wires/wire.js';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import { GoogleProvider } from './google/google-provider.js';
import { OpenAiResponsesProvider } from './openai/responses-provider.js';

interface Case {
  wire: Wire;
  model: string;
  /** No other key may read its thoughts. */
  isOfKey?: true;
  provider: (options: { baseUrl: string; id?: string; apiKey?: string }) => ModelProvider;
  /** Whether a request carries a signature of its own. */
  signed: (body: string) => boolean;
}

const CASES: Record<string, Case> = {
  anthropic: {
    wire: anthropicWire,
    model: 'claude-haiku-4-5',
    provider: (options) => new AnthropicProvider({ apiKey: KEY, ...options }),
    signed: (body) => body.includes('"type":"thinking","thinking":"hmm","signature":"c2ln"'),
  },
  google: {
    wire: googleWire,
    model: 'gemini-3-pro-preview',
    provider: (options) => new GoogleProvider({ apiKey: KEY, ...options }),
    signed: (body) => body.includes('"thoughtSignature":"c2ln"'),
  },
  'openai responses': {
    wire: openaiResponsesWire,
    model: 'gpt-5-mini',
    isOfKey: true,
    provider: (options) => new OpenAiResponsesProvider({ apiKey: KEY, ...options }),
    signed: (body) => body.includes('{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2ln"}'),
  },
};

const REQUEST = { system: '', tools: [], thinking: 'high' as const };

async function answerOf(provider: ModelProvider, request: ModelRequest): Promise<AssistantMessage> {
  const answer = new AnswerParts(provider.id, request.model);
  for await (const event of provider.stream(request, new AbortController().signal)) answer.add(event);
  const { text, toolCalls, reasoning } = answer;
  return { role: 'assistant', text, toolCalls, ...(reasoning.length > 0 && { reasoning }) };
}

describe.each(Object.entries(CASES))('a tool loop that thinks: %s', (_name, { wire, model, isOfKey, provider, signed }) => {
  /** What a strict server reads of the second request of a loop. */
  async function second(by: { id?: string; model?: string; apiKey?: string }, edit = (message: AssistantMessage) => message) {
    const calls = wire.calls([
      { id: 'a', name: 'now', pieces: [] },
      { id: 'b', name: 'now', pieces: [] },
    ]);
    const frames = [...wire.opening(), wire.reasoning('hmm'), ...calls, ...wire.closing('tool_calls')];
    const bodies: string[] = [];
    let baseUrl = '';
    const first = await serve({ wire, provider: (options) => provider({ baseUrl: (baseUrl = options.baseUrl) }) }, (...asked) => {
      bodies.push(asked[1]);
      answers(wire, ...frames)(...asked);
    });
    const user = { role: 'user' as const, text: 'hi' };
    const message = edit(await answerOf(first.provider, { ...REQUEST, model, messages: [user] }));
    const results = message.toolCalls.map(({ id, name }) => ({
      role: 'tool' as const,
      callId: id,
      name,
      text: '1',
      isError: false,
    }));
    await answerOf(provider({ baseUrl, ...by }), { ...REQUEST, model: by.model ?? model, messages: [user, message, ...results] });
    const body = bodies.at(-1) ?? '';
    return { body, problems: wire.problems(JSON.parse(body)) };
  }

  test('MO-4 MO-6 its thoughts go back to the model that had them', async () => {
    const { body, problems } = await second({});
    expect(problems).toEqual([]);
    expect(signed(body)).toBe(true);
  });

  test('MO-4 another provider is not told of them, and the loop goes on', async () => {
    const { body, problems } = await second({ id: 'other' });
    expect(problems).toEqual([]);
    expect(signed(body)).toBe(false);
  });

  test('MO-4 under another key the loop goes on, with its thoughts where that key may read them', async () => {
    const { body, problems } = await second({ apiKey: 'another' });
    expect(problems).toEqual([]);
    expect(signed(body)).toBe(!isOfKey);
  });

  test('MO-4 another model of the provider goes on', async () => {
    const { problems } = await second({ model: `${model}-2` });
    expect(problems).toEqual([]);
  });

  test('MO-4 without what another model thought the loop goes on', async () => {
    const { problems } = await second({}, ({ text, toolCalls }) => ({
      role: 'assistant',
      text,
      toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    }));
    expect(problems).toEqual([]);
  });
});

test.each(['gpt-4o', 'gpt-5-chat-latest', 'gpt-oss-120b'])('MO-4 %s, which encrypts nothing, is not asked to', async (model) => {
  let problems = ['not asked'];
  const wire = openaiResponsesWire;
  const provider = (options: { baseUrl: string }) => new OpenAiResponsesProvider({ apiKey: KEY, ...options });
  const served = await serve({ wire, provider }, (response, body, request) => {
    problems = wire.problems(JSON.parse(body));
    answers(wire, ...wire.opening(), wire.text('ok'), ...wire.closing('stop'))(response, body, request);
  });
  await answerOf(served.provider, { ...REQUEST, thinking: undefined, model, messages: [{ role: 'user', text: 'hi' }] });
  expect(problems).toEqual([]);
});
