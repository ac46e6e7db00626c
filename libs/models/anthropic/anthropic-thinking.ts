import type { ThinkingConfigParam, OutputConfig } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '#agent';
import type { ThinkingLevel } from '#contracts';
import { nearestLevel } from '../thinking-levels.js';

/** Models that decide by themselves how long they think, within an effort. */
const ADAPTIVE = /^claude-(?:(?:opus|sonnet)-4-[6-9]|(?:opus|sonnet|haiku)-[5-9])/;
/** Models that are given a number of tokens. */
const BUDGETED = /^claude-(?:3-7|opus-4|sonnet-4|haiku-4)/;
/** With DEFAULT_OUTPUT_TOKENS within the 32,000 tokens that the smallest of them writes. */
const BUDGETS = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 20_480, max: 23_552 } as const;
/** The wire takes no smaller budget, and this much is left for the answer. */
const LEAST = 1024;
const DEFAULT_OUTPUT_TOKENS = 8192;

export function anthropicThinkingLevels(model: string): readonly ThinkingLevel[] {
  if (ADAPTIVE.test(model)) return ['off', 'low', 'medium', 'high', 'max', 'adaptive'];
  return BUDGETED.test(model) ? ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] : [];
}

interface Thinking {
  max_tokens: number;
  thinking?: ThinkingConfigParam;
  output_config?: OutputConfig;
}

/**
 * How much a request may think and write. Thinking is part of `max_tokens`: it comes on top of the default, and out of what was
 * configured. @param keepsThoughts whether the tool loop that goes on began with a thought of this model: the wire refuses a
 * budget without it
 */
export function thinkingOf(
  { model, thinking: asked }: Pick<ModelRequest, 'model' | 'thinking'>,
  maxOutputTokens: number | undefined,
  keepsThoughts: boolean,
): Thinking {
  const level = asked && nearestLevel(anthropicThinkingLevels(model), asked);
  const most = maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS;
  if (!level || level === 'off') return { max_tokens: most };
  if (level === 'adaptive') return { max_tokens: most, thinking: { type: 'adaptive' } };
  if (ADAPTIVE.test(model)) {
    const effort = level === 'minimal' ? 'low' : level;
    return { max_tokens: most, thinking: { type: 'adaptive' }, output_config: { effort } };
  }
  const wanted = BUDGETS[level];
  const max_tokens = maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS + wanted;
  const budget_tokens = Math.min(wanted, max_tokens - LEAST);
  if (!keepsThoughts || budget_tokens < LEAST) return { max_tokens: most };
  return { max_tokens, thinking: { type: 'enabled', budget_tokens } };
}
