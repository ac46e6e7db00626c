import { Problem } from '../http/problem.js';
import type { TurnAnswer } from '../invoke/turn-answer.js';

/** Reasons that lie in what was asked, under the codes of OpenAI where it has one. */
const OF_THE_REQUEST: Readonly<Record<string, string>> = {
  context_overflow: 'context-length-exceeded',
  refusal: 'content-policy-violation',
  refused: 'content-policy-violation',
};

/** The turn ended without an answer: what a client of OpenAI's reads. undefined for an answer, or a question to a person. */
export function turnProblem({ outcome, reason, text }: TurnAnswer): Problem | undefined {
  switch (outcome) {
    case 'answered':
    case 'recorded':
    case 'command':
    case 'parked':
      return undefined;
    case 'cancelled':
      return notAgain(new Problem(409, 'turn-cancelled', text || 'The turn was stopped before its answer.'));
    default: {
      const code = OF_THE_REQUEST[reason ?? ''];
      return notAgain(new Problem(code ? 400 : 500, code ?? reason ?? outcome, text || 'The turn could not be answered.'));
    }
  }
}

/** The message is stored: clients that repeat what failed on their own accord would send it twice. They obey this header. */
export function notAgain({ status, code, detail, options }: Problem): Problem {
  return new Problem(status, code, detail, { ...options, headers: { ...options.headers, 'x-should-retry': 'false' } });
}
