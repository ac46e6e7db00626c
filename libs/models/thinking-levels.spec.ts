import { expect, test } from 'vitest';
import { openAiThinkingLevels } from './openai/openai-thinking.js';
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
