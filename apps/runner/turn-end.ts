import { TurnCancelled, TurnRefused } from '#agent';
import type { CancelReason } from '#contracts';
import { describeError, LeaseLostError, NotNowError, TerminalError, TransientError } from '#kernel';
import { CancelRequested, Draining, TurnTimeout } from './stop-reasons.js';

/** What becomes of an attempt that did not come to its answer. */
export type TurnEnd =
  /** Another claim owns the session: touch nothing. */
  | { kind: 'abandon' }
  /** Hand the session to another process, now. */
  | { kind: 'handBack' }
  /** Keep what there is, marked. */
  | { kind: 'cancelled'; why: CancelReason | undefined }
  /** Try again from the journal after `retryAfterMs` or a backoff. */
  | { kind: 'retry'; code: string; message: string; retryAfterMs: number | undefined }
  /** No failure: it goes on from the journal when there is room for its next model call. */
  | { kind: 'wait'; afterMs: number }
  /** Over, with a word to the user. */
  | { kind: 'failed'; code: string; message: string; notice?: string };

/** The one place that decides what an error does to a turn. */
export function turnEndOf(error: unknown, claimLost: boolean): TurnEnd {
  if (error instanceof LeaseLostError || claimLost) return { kind: 'abandon' };
  if (error instanceof Draining) return { kind: 'handBack' };
  if (error instanceof TurnCancelled) return { kind: 'cancelled', why: undefined };
  if (error instanceof CancelRequested) return { kind: 'cancelled', why: error.why };
  if (error instanceof NotNowError) return { kind: 'wait', afterMs: error.afterMs };
  if (error instanceof TurnTimeout) return { kind: 'failed', code: 'turn_timeout', message: error.message };
  if (error instanceof TurnRefused)
    return { kind: 'failed', code: error.code, message: error.message, notice: `I may not answer this: ${error.message}.` };
  if (error instanceof TerminalError) return { kind: 'failed', code: error.code, message: error.message };
  if (error instanceof TransientError)
    return { kind: 'retry', code: error.code, message: error.message, retryAfterMs: error.retryAfterMs };
  return { kind: 'retry', code: 'internal', message: describeError(error), retryAfterMs: undefined };
}

/** With a backoff that grows to a minute, this rides out a provider that is down for ten minutes. */
export const MAX_ERRORS = 20;
/** A fault of ours does not go away by waiting. */
export const MAX_INTERNAL_ERRORS = 5;

/** What the user reads; details are for the log. */
export function noticeFor(code: string): string {
  switch (code) {
    case 'auth':
    case 'auth_permanent':
    case 'billing':
    case 'model_not_found':
    case 'format':
      return 'Sorry, I cannot answer: the language model refused the request. Please tell the people who run this assistant.';
    case 'refusal':
      return 'The language model will not answer this. Please ask in other words, or for something else.';
    case 'context_overflow':
      return 'Sorry, this is more text than I can read at once. Please send /new to start a fresh conversation, or send a shorter message.';
    case 'turn_timeout':
      return 'Sorry, this took longer than I may take, so I stopped. Please try again, perhaps with a smaller request.';
    case 'token_limit':
    case 'cost_limit':
      return 'Sorry, this needed more than I may spend on one message, so I stopped. Please try again with a smaller request.';
    case 'budget':
      return 'Sorry, what may be spent here on one day is used up. I can answer again after midnight UTC.';
    case 'tool_loop':
      return 'Sorry, I kept repeating the same steps without getting on, so I stopped. Please try again, perhaps in other words.';
    case 'send_check_failed':
      return 'Sorry, my answer was held back because a check on it did not work. Please try again later.';
    case 'unknown_agent':
      return 'Sorry, the assistant of this chat is not there any more. Please tell the people who run it.';
    case 'crashed':
      return 'Sorry, something went wrong each time I tried to answer this message, so I gave up on it.';
    default:
      return 'Sorry, I could not get an answer in time. Please try again later.';
  }
}
