import type { Judge } from '../harness/judge.js';

/** From the death of a process to the next thing another process did in the same turn, ms. */
export function resumeTimes(judge: Judge, deaths: ReadonlyMap<string, number>): { count: number; p50: number; max: number } {
  const times: number[] = [];
  for (const asked of Map.groupBy(judge.questions, ({ about }) => about).values()) {
    for (const [index, question] of asked.entries()) {
      const before = asked[index - 1];
      const died = before && deaths.get(before.process);
      if (before && died && before.process !== question.process && before.at <= died && question.at >= died)
        times.push(question.at - died);
    }
  }
  times.sort((a, b) => a - b);
  return { count: times.length, p50: times[times.length >> 1] ?? 0, max: times.at(-1) ?? 0 };
}
