import { expect, test } from 'vitest';
import type { ThinkingLevel } from '#contracts';
import { thinkingOf } from './anthropic/anthropic-thinking.js';
import { thinkingConfig } from './google/google-thinking.js';
import { thinkOf } from './ollama/ollama-thinking.js';
import { openAiThinkingLevels, reasoningEffort } from './openai/openai-thinking.js';
import { nearestLevel } from './thinking-levels.js';

test('RT-4 a thinking level that a model does not know steps down to one it does, or up to its least', () => {
  expect(nearestLevel(['low', 'medium', 'high'], 'xhigh')).toBe('high');
  expect(nearestLevel(['low', 'medium', 'high'], 'medium')).toBe('medium');
  expect(nearestLevel(['low', 'medium', 'high'], 'off')).toBe('low');
  expect(nearestLevel([], 'high')).toBeUndefined();
});

test.each([
  ['gpt-5-mini', ['minimal', 'low', 'medium', 'high']],
  ['openai/o3', ['low', 'medium', 'high']],
  ['gpt-4.1', []],
  ['llama-3', []],
])('RT-4 %s knows the thinking levels %j', (model, levels) => {
  expect(openAiThinkingLevels(model)).toEqual(levels);
});

const LEVELS: ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'adaptive'];

test.each([
  ['gpt-5', ['minimal', 'minimal', 'low', 'medium', 'high', 'high', 'high', 'medium']],
  ['gpt-5.1', ['none', 'none', 'low', 'medium', 'high', 'high', 'high', 'medium']],
  ['openai/gpt-5.2', ['none', 'none', 'low', 'medium', 'high', 'xhigh', 'xhigh', 'medium']],
  ['gpt-4.1', [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]],
])('MO-6 reasoning effort of %s at each level', (model, efforts) => {
  expect(LEVELS.map((level) => reasoningEffort(model, level))).toEqual(efforts);
  expect(reasoningEffort(model, undefined)).toBeUndefined();
});

test('MO-6 Anthropic: a budget below max_tokens at each level, none where there is no room or the loop began elsewhere', () => {
  const of = (thinking: ThinkingLevel | undefined, most?: number, keeps = true) =>
    thinkingOf({ model: 'claude-haiku-4-5', thinking }, most, keeps);
  expect(of(undefined)).toEqual({ max_tokens: 8192 });
  expect(of('off')).toEqual({ max_tokens: 8192 });
  expect(of('low')).toEqual({ max_tokens: 10_240, thinking: { type: 'enabled', budget_tokens: 2048 } });
  expect(of('high', 4096)).toEqual({ max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 3072 } });
  expect(of('high', 1500)).toEqual({ max_tokens: 1500 });
  expect(of('high', undefined, false)).toEqual({ max_tokens: 8192 });
  for (const level of LEVELS) {
    const { max_tokens, thinking } = of(level);
    expect(max_tokens).toBeLessThanOrEqual(32_000);
    if (thinking?.type === 'enabled') expect(thinking.budget_tokens).toBeLessThan(max_tokens);
  }
  const adaptive = { max_tokens: 8192, thinking: { type: 'adaptive' } };
  expect(thinkingOf({ model: 'claude-opus-4-6', thinking: 'adaptive' }, undefined, false)).toEqual(adaptive);
  expect(thinkingOf({ model: 'claude-opus-4-6', thinking: 'xhigh' }, undefined, true)).toEqual({
    ...adaptive,
    output_config: { effort: 'high' },
  });
});

test('MO-6 Google and Ollama at each level', () => {
  const budgets = (model: string) => LEVELS.map((level) => thinkingConfig(model, level)?.thinkingBudget);
  expect(budgets('gemini-2.5-flash')).toEqual([0, 512, 2048, 8192, 24_576, 24_576, 24_576, -1]);
  expect(budgets('gemini-2.5-pro')).toEqual([512, 512, 2048, 8192, 24_576, 24_576, 32_768, -1]);
  const levels = LEVELS.map((level) => thinkingConfig('gemini-3-pro-preview', level)?.thinkingLevel);
  expect(levels).toEqual(['LOW', 'LOW', 'LOW', 'LOW', 'HIGH', 'HIGH', 'HIGH', 'LOW']);
  expect(thinkingConfig('gemini-1.5-pro', 'high')).toBeUndefined();
  expect(LEVELS.map((level) => thinkOf('qwen3:8b', level))).toEqual([false, false, false, true, true, true, true, true]);
  expect(LEVELS.map((level) => thinkOf('gpt-oss', level)).slice(0, 6)).toEqual(['low', 'low', 'low', 'medium', 'high', 'high']);
  expect(thinkOf('llama3', 'high')).toBeUndefined();
});
