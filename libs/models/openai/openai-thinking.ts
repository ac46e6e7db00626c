import type { ReasoningEffort } from 'openai/resources/shared';
import type { ThinkingLevel } from '#contracts';
import { nearestLevel } from '../thinking-levels.js';

/** `reasoning_effort` values that Chat Completions takes by the model's name; a model that is not of these refuses the field. */
const LEVELS: readonly (readonly [name: RegExp, levels: readonly ThinkingLevel[]])[] = [
  [/^gpt-5.*-chat/, []],
  [/^gpt-5\.[2-9]/, ['off', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.1/, ['off', 'low', 'medium', 'high']],
  [/^gpt-5/, ['minimal', 'low', 'medium', 'high']],
  [/^(?:o\d|gpt-oss)/, ['low', 'medium', 'high']],
];

/** Models of OpenAI's own that think, and whose thoughts come encrypted where that is asked for: any other one refuses to be asked. */
export function reasons(model: string): boolean {
  return /^(?:gpt-5|o\d)/.test(nameIn(model)) && openAiThinkingLevels(model).length > 0;
}

export function openAiThinkingLevels(model: string): readonly ThinkingLevel[] {
  const name = nameIn(model);
  return LEVELS.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}

export function reasoningEffort(model: string, asked: ThinkingLevel | undefined): ReasoningEffort | undefined {
  const level = asked && nearestLevel(openAiThinkingLevels(model), asked);
  if (level === undefined || level === 'max' || level === 'adaptive') return undefined;
  return level === 'off' ? 'none' : level;
}

/** A gateway may put vendors in front of it. */
function nameIn(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1);
}
