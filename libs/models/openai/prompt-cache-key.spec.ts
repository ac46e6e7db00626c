import { afterEach, expect, test, vi } from 'vitest';
import type { ModelProvider } from '#agent';
import { answers, collect, KEY, REQUEST, serve } from '../../../test/fakes/hostile-model-server.js';
import { openaiChatWire } from '../../../test/fakes/wires/openai-chat-wire.js';
import { openaiResponsesWire } from '../../../test/fakes/wires/openai-responses-wire.js';
import type { Wire } from '../../../test/fakes/wires/wire.js';
import { OpenAiChatProvider } from './chat-provider.js';
import type { OpenAiOptions } from './openai-provider.js';
import { OpenAiResponsesProvider } from './responses-provider.js';

const apis: [string, Wire, (options: OpenAiOptions) => ModelProvider][] = [
  ['chat', openaiChatWire, (options) => new OpenAiChatProvider(options)],
  ['responses', openaiResponsesWire, (options) => new OpenAiResponsesProvider(options)],
];

afterEach(() => void vi.unstubAllEnvs());

test.each(apis)('MO-5 %s: OpenAI is told which requests share a cache, a compatible server is not', async (_, wire, make) => {
  const sent = async (server: 'own' | 'compatible', cacheKey: string | undefined) => {
    let read: { prompt_cache_key?: unknown } = {};
    const provider = ({ baseUrl }: { baseUrl: string }) => {
      // Where the SDK looks for OpenAI when nobody names a server.
      vi.stubEnv('OPENAI_BASE_URL', baseUrl);
      return make({ apiKey: KEY, ...(server === 'compatible' && { baseUrl }) });
    };
    const served = await serve({ wire, provider }, (response, body, request) => {
      read = JSON.parse(body) as typeof read;
      expect(wire.problems(read)).toEqual([]);
      answers(wire, ...wire.opening(), wire.text('ok'), ...wire.closing('stop'))(response, body, request);
    });
    await collect(served.provider, { ...REQUEST, cacheKey });
    return read.prompt_cache_key;
  };
  expect(await sent('own', 'k')).toBe('k');
  expect(await sent('own', undefined)).toBeUndefined();
  expect(await sent('compatible', 'k')).toBeUndefined();
});
