import { parkNotice } from '#routing';
import type { TurnAnswer } from '../invoke/turn-answer.js';
import { BETWEEN_MESSAGES } from './streamed-text.js';

/** Everything a turn said, in the order in which it was delivered. What is not delivered yet is known only of the last message. */
export function answerText(answer: TurnAnswer): string {
  const said = answer.messages.flatMap(({ content, deliveryMode }) => (content === null ? [] : [{ content, deliveryMode }]));
  const hasLast = said.some(({ deliveryMode }) => deliveryMode === 'final' || deliveryMode === 'notice');
  return [...said.map(({ content }) => content), ...(hasLast ? [] : [lastWord(answer)])].filter(Boolean).join(BETWEEN_MESSAGES);
}

/** The answer, or the question where a person is asked. */
export function lastWord({ park, text }: TurnAnswer): string {
  return park ? parkNotice(park) : text;
}

/** What a question does not say itself: the next request would be in another session. '' where nothing is asked. */
export function howToAnswer({ park, session }: TurnAnswer): string {
  if (!park) return '';
  return `${BETWEEN_MESSAGES}Send it in this conversation, with the header x-turnpike-session: ${session}`;
}
