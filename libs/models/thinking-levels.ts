import type { ThinkingLevel } from '#contracts';

const ORDER: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** `adaptive` where it is not known is `medium`. The most a model knows that is not above what is asked, else the least it knows; undefined when it knows none. */
export function nearestLevel(known: readonly ThinkingLevel[], asked: ThinkingLevel): ThinkingLevel | undefined {
  if (known.includes(asked)) return asked;
  const sorted = ORDER.filter((level) => known.includes(level));
  const most = ORDER.indexOf(asked === 'adaptive' ? 'medium' : asked);
  return sorted.findLast((level) => ORDER.indexOf(level) <= most) ?? sorted[0];
}
