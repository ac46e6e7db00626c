export { assertNever } from './assert-never.js';
export { backoffMs } from './backoff.js';
export { checkpoint, onCheckpoint } from './checkpoint.js';
export { systemClock, type Clock } from './clock.js';
export {
  describeError,
  InvalidInputError,
  LeaseLostError,
  NotNowError,
  TerminalError,
  TransientError,
  UnavailableError,
} from './errors.js';
export {
  messageId,
  outboxRowId,
  turnIdOf,
  type AgentId,
  type ConversationKey,
  type MessageId,
  type OutboxRowId,
  type SessionKey,
  type TenantId,
  type TurnId,
} from './ids.js';
export { describeThrown, withoutQuotes } from './quotes.js';
export { delay, forwardAborts, raceSignal } from './signals.js';
