import { expect, test } from 'vitest';
import { windowOf } from './model-windows.js';

test.each([
  ['gpt-5-mini', 272_000],
  ['gpt-4o-2024-08-06', 128_000],
  ['gpt-4.1-nano', 1_047_576],
  ['gpt-4-0613', 8_192],
  ['o1-mini', 128_000],
  ['o3', 200_000],
  ['anthropic/claude-sonnet-4', 200_000],
  ['google/gemini-2.5-pro', 1_000_000],
  ['meta-llama/Llama-3.1-8B', 128_000],
  ['a-model-nobody-knows', 32_768],
])('CX-2 %s takes %i tokens', (model, tokens) => {
  expect(windowOf('openai', model)).toBe(tokens);
});

test('CX-2 what is configured for a model counts, for this provider only', () => {
  const configured = { 'openai/qwen3': 8_000 };
  expect([windowOf('openai', 'qwen3', configured), windowOf('other', 'qwen3', configured)]).toEqual([8_000, 32_768]);
});
