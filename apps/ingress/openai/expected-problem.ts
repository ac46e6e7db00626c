import { Problem, problemOf } from '../http/problem.js';

/** For a stream that has begun: its error comes as an event. @throws what nobody expected; the stream breaks off, and it is logged */
export function expectedProblem(error: unknown): Problem {
  const problem = problemOf(error);
  if (problem) return problem;
  throw error;
}
