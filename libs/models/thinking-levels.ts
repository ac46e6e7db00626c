import type { ThinkingLevel } from '#contracts';

const ORDER: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'];

/** The most a model knows that is not above what is asked, else the least it knows; undefined when it knows none. */
export function nearestLevel(known: readonly ThinkingLevel[], asked: ThinkingLevel): ThinkingLevel | undefined {
  const sorted = known.toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  return sorted.findLast((level) => ORDER.indexOf(level) <= ORDER.indexOf(asked)) ?? sorted[0];
}
