export { AnswerLease } from './answer-lease.js';
export { ClaimedSession, type Commit, type Stepped } from './claimed-session.js';
export { EventLog, type LoggedEvent } from './event-log.js';
export { Receipts } from './receipts.js';
export {
  Sessions,
  type Accepted,
  type AcceptOptions,
  type AskedBy,
  type Cancelled,
  type CancelRequest,
  type SessionState,
} from './sessions.js';
