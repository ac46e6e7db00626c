import type { ThinkingLevel } from '#contracts';
import { nearestLevel } from '../thinking-levels.js';

/** Most models that think can only be told whether to; a model that is not of these refuses the field. */
const LEVELS: readonly (readonly [name: RegExp, levels: readonly ThinkingLevel[]])[] = [
  [/^gpt-oss/, ['low', 'medium', 'high']],
  [/^(?:qwen3|deepseek-r1|deepseek-v3\.1|magistral)/, ['off', 'medium']],
];

export function ollamaThinkingLevels(model: string): readonly ThinkingLevel[] {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return LEVELS.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}

export function thinkOf(model: string, asked: ThinkingLevel | undefined): boolean | 'low' | 'medium' | 'high' | undefined {
  const known = ollamaThinkingLevels(model);
  const level = asked && nearestLevel(known, asked);
  if (level === 'low' || level === 'high' || (level === 'medium' && known.includes('low'))) return level;
  return level && level !== 'off' ? true : level === 'off' ? false : undefined;
}
