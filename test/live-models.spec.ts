import { describe, expect, test, type TestContext } from 'vitest';
import type { ModelEvent, ModelRequest } from '#agent';
import { loadConfig } from '#config';
import { modelProvider } from '#models';

const LIVE_MS = 120_000;
const CASES = [
  { id: 'openai', api: 'openai-chat', variable: 'OPENAI_API_KEY', model: 'gpt-5-mini' },
  { id: 'openai', api: 'openai-responses', variable: 'OPENAI_API_KEY', model: 'gpt-5-mini' },
  { id: 'openai', api: 'openai-responses', variable: 'OPENAI_API_KEY', model: 'gpt-5-mini', transport: 'websocket' },
  { id: 'anthropic', api: 'anthropic', variable: 'ANTHROPIC_API_KEY', model: 'claude-haiku-4-5' },
  { id: 'google', api: 'google', variable: 'GEMINI_API_KEY', model: 'gemini-2.5-flash' },
  { id: 'ollama', api: 'ollama', variable: 'OLLAMA_HOST', model: 'qwen3' },
] as const;
const WEATHER = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** The real servers, asked with the names of the environment that users set. They cost money, so each says two things only. */
describe.each(CASES)('the real $api of $id', (live) => {
  async function ask(request: Pick<ModelRequest, 'messages' | 'tools'>, context: TestContext): Promise<ModelEvent[]> {
    const { id, api, variable, model } = live;
    if (!process.env[variable]) return context.skip(`set ${variable} to ask ${id} itself`);
    const config = loadConfig({ env: process.env }).models.providers[id];
    if (!config) throw new Error(`${variable} is set, and ${id} is not configured by it`);
    const transport = 'transport' in live ? live.transport : undefined;
    const { apiKey, baseUrl, idleTimeoutMs } = config;
    const settings = { id, idleTimeoutMs, transport, ...(apiKey && { apiKey }), ...(baseUrl && { baseUrl }) };
    const events: ModelEvent[] = [];
    const asked = { model, system: 'You answer as shortly as you can.', ...request };
    for await (const event of modelProvider(api, settings).stream(asked, context.signal)) events.push(event);
    return events;
  }

  test('MO-1 it says something, counts it and stops', { timeout: LIVE_MS }, async (context) => {
    const events = await ask({ messages: [{ role: 'user', text: 'Say hello.' }], tools: [] }, context);
    expect(events.some(({ type }) => type === 'text')).toBe(true);
    expect(events.find(({ type }) => type === 'usage')).toBeDefined();
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'stop' });
  });

  test('MO-1 it calls a tool', { timeout: LIVE_MS }, async (context) => {
    const messages = [{ role: 'user', text: 'Call the tool weather for the city Rome.' }] as const;
    const events = await ask({ messages, tools: [WEATHER] }, context);
    const call = events.find((event) => event.type === 'tool_call');
    expect(call?.name).toBe('weather');
    expect(JSON.parse(call?.arguments ?? '')).toMatchObject({ city: expect.stringMatching(/rome/i) });
    expect(events.at(-1)).toEqual({ type: 'stop', reason: 'tool_calls' });
  });
});
