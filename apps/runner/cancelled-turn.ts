import { isResumed, type ClaimedTurn } from './claimed-turn.js';
import type { TurnAttempt } from './turn-attempt.js';
import type { Ending } from './turn-commit.js';

/** How a turn ends that somebody stopped: with what there was of it. */
export function cancelledBy(turn: ClaimedTurn, attempt: TurnAttempt, reason = attempt.cancelReason): Ending {
  const { progress } = attempt;
  const messages = progress.interrupted();
  return { outcome: 'cancelled', reason, messages, say: reason === 'interrupted' ? undefined : stopped(turn, attempt) };
}

/** Who asked in a chat sees that it was heard; a watcher sees the turn end, and a message that only waited was never begun. */
function stopped(turn: ClaimedTurn, { begun }: TurnAttempt): Ending['say'] {
  const [{ watched }] = turn.envelopes;
  return (begun || isResumed(turn)) && !watched ? { mode: 'notice', text: 'Stopped.' } : undefined;
}
