import type { MessageId } from '#kernel';
import type { TakenTurn } from '#lanes';
import { envelopeOf } from './claimed-turn.js';

/**
 * Messages whose turn has ended as dead, and whose runner died before it buried them. Crashes are counted until a message has its
 * end and no further, so one that was answered never has so many.
 */
export function lateLetters({ messages }: TakenTurn, crashesAllowed: number): { id: MessageId; reason: string }[] {
  const seen = messages.filter(({ flag }) => flag === 'seen');
  return seen.flatMap((message) => {
    if (message.crashes >= crashesAllowed) return [{ id: message.id, reason: 'crashed' }];
    return message.data === '' || envelopeOf(message) ? [] : [{ id: message.id, reason: 'unreadable' }];
  });
}
