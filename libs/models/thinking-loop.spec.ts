import { describe, expect, test } from 'vitest';
import { AnswerParts, type ModelProvider, type ModelRequest } from '#agent';
import type { AssistantMessage } from '#contracts';
import { answers, KEY, serve } from '../../test/fakes/hostile-model-server.js';
import { anthropicWire } from '../../test/fakes/wires/anthropic-wire.js';
import { googleWire } from '../../test/fakes/wires/google-wire.js';
import type { Wire } from '../../test/fakes/wires/wire.js';
import { AnthropicProvider } from './anthropic/anthropic-provider.js';
import { GoogleProvider } from './google/google-provider.js';

interface Case {
  wire: Wire;
  model: string;
  provider: (options: { baseUrl: string; id?: string }) => ModelProvider;
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
};

const REQUEST = { system: '', tools: [], thinking: 'high' as const };

async function answerOf(provider: ModelProvider, request: ModelRequest): Promise<AssistantMessage> {
  const answer = new AnswerParts(provider.id, request.model);
  for await (const event of provider.stream(request, new AbortController().signal)) answer.add(event);
  const { text, toolCalls, reasoning } = answer;
  return { role: 'assistant', text, toolCalls, ...(reasoning.length > 0 && { reasoning }) };
}

describe.each(Object.entries(CASES))('a tool loop that thinks: %s', (_name, { wire, model, provider, signed }) => {
  /** What a strict server reads of the second request of a loop. */
  async function second(by: { id?: string; model?: string }, edit = (message: AssistantMessage) => message) {
    const calls = wire.calls([
      { id: 'a', name: 'now', pieces: [] },
      { id: 'b', name: 'now', pieces: [] },
    ]);
    const frames = [...wire.opening(), wire.reasoning('hmm'), ...calls, ...wire.closing('tool_calls')];
    const bodies: string[] = [];
    const respond = (options: { id?: string }) =>
      serve({ wire, provider: ({ baseUrl }) => provider({ baseUrl, ...options }) }, (response, body, request) => {
        bodies.push(body);
        answers(wire, ...frames)(response, body, request);
      });
    const first = await respond({});
    const user = { role: 'user' as const, text: 'hi' };
    const message = edit(await answerOf(first.provider, { ...REQUEST, model, messages: [user] }));
    const results = message.toolCalls.map(({ id, name }) => ({
      role: 'tool' as const,
      callId: id,
      name,
      text: '1',
      isError: false,
    }));
    const next = await respond(by);
    await answerOf(next.provider, { ...REQUEST, model: by.model ?? model, messages: [user, message, ...results] });
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

  test('MO-4 without what another model thought the loop goes on', async () => {
    const { problems } = await second({}, ({ text, toolCalls }) => ({
      role: 'assistant',
      text,
      toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    }));
    expect(problems).toEqual([]);
  });
});
