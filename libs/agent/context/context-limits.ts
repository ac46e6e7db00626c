import type { ContextBudget } from './context-engine.js';

/** Shares of the window: one text (seed 001: 30 %), and all tool results of the running turn together. */
const TEXT_SHARE = 0.3;
const RESULTS_SHARE = 0.5;
const RESERVE_SHARE = 0.25;

/** However large the window, one text gets no more characters than this; from tokens of the window. */
const LADDER: readonly (readonly [from: number, chars: number])[] = [
  [200_000, 64_000],
  [100_000, 32_000],
  [0, 16_000],
];
const CHARS_PER_TOKEN = 4;

/** A budget in tokens of our own estimate. */
export interface ContextLimits {
  /** The whole request. */
  room: number;
  /** One text: a tool result, or a message of an earlier turn. */
  text: number;
  /** All results of the running turn. */
  results: number;
}

export function limitsOf({ windowTokens, reserveTokens, scale }: ContextBudget): ContextLimits {
  const [, chars = 0] = LADDER.find(([from]) => windowTokens >= from) ?? [];
  const window = windowTokens / scale;
  return {
    room: window - Math.min(reserveTokens / scale, window * RESERVE_SHARE),
    text: Math.min(window * TEXT_SHARE, chars / CHARS_PER_TOKEN),
    results: window * RESULTS_SHARE,
  };
}
