import type { ControlAnswer } from '../commands/control-command.js';
import type { Answered } from './park-answers.service.js';

/** What somebody reads who answered by a command. Taken answers are followed by the turn itself. */
export function parkReply(code: string, answered: Answered): ControlAnswer {
  switch (answered.kind) {
    case 'taken':
      return { reply: 'Thank you, it goes on.', details: { turn: answered.parked.turn }, turnAnswers: true };
    case 'none':
      return { reply: `Nothing waits for you under ${code}: it was answered, ran out of time, or never was.` };
    case 'late':
      return { reply: `${code} was answered already.` };
    case 'unfit':
      return {
        reply:
          answered.parked.kind === 'approval'
            ? `${code} waits for a yes or no: /approve ${code} yes`
            : `${code} is a question: /answer ${code} and your answer`,
      };
  }
}
