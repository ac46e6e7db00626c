import { ThinkingLevel as WireLevel, type ThinkingConfig } from '@google/genai';
import type { ThinkingLevel } from '#contracts';
import { nearestLevel } from '../thinking-levels.js';

/** By the model's name: Gemini 3 is given a level, Gemini 2.5 a number of tokens; only some can be told not to think. */
const LEVELS: readonly (readonly [name: RegExp, levels: readonly ThinkingLevel[]])[] = [
  [/^gemini-3.*flash/, ['minimal', 'low', 'medium', 'high']],
  [/^gemini-3/, ['low', 'high']],
  [/^gemini-2\.5-pro/, ['minimal', 'low', 'medium', 'high', 'max', 'adaptive']],
  [/^gemini-2\.5/, ['off', 'minimal', 'low', 'medium', 'high', 'adaptive']],
];
const WIRE_LEVELS = { minimal: WireLevel.MINIMAL, low: WireLevel.LOW, medium: WireLevel.MEDIUM, high: WireLevel.HIGH } as const;
/** Tokens; 24,576 is the most of Flash, 32,768 of Pro, 512 the least of Flash-Lite. */
const BUDGETS = { off: 0, minimal: 512, low: 2048, medium: 8192, high: 24_576, max: 32_768, adaptive: -1 } as const;

export function googleThinkingLevels(model: string): readonly ThinkingLevel[] {
  return LEVELS.find(([pattern]) => pattern.test(model))?.[1] ?? [];
}

export function thinkingConfig(model: string, asked: ThinkingLevel | undefined): ThinkingConfig | undefined {
  const level = asked && nearestLevel(googleThinkingLevels(model), asked);
  if (!level || level === 'xhigh') return undefined;
  if (model.startsWith('gemini-2')) return { thinkingBudget: BUDGETS[level], includeThoughts: level !== 'off' };
  if (level === 'off' || level === 'max' || level === 'adaptive') return undefined;
  return { thinkingLevel: WIRE_LEVELS[level], includeThoughts: true };
}
