import type { Item } from './questions.js';
import type { TurnShape } from './turn-shape.js';

export interface Workload {
  sessions: number;
  /** Of each session. */
  messages: number;
  /** Of all its turns; plain when left out. */
  shape?: TurnShape;
}

export function totalOf({ sessions, messages }: Workload): number {
  return sessions * messages;
}

export function nameOf({ sessions, messages }: Workload): string {
  return `${sessions} x ${messages}`;
}

/**
 * The messages of a workload, shuffled over its sessions; the same order in every run.
 * @param from the first number of message and session, so that no two workloads of a run meet
 */
export function itemsOf(workload: Workload, from = 0): Item[] {
  const sessions = shuffled(Array.from({ length: totalOf(workload) }, (_, index) => from + (index % workload.sessions)));
  const { shape } = workload;
  return sessions.map((session, index) => ({ n: from + index, session, ...(shape && { shape }) }));
}

function shuffled<T>(list: T[]): T[] {
  const random = lcg(1);
  return list
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Numerical Recipes' linear congruential generator. */
function lcg(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
}
