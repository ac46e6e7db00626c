export { AnswerLease } from './answer-lease.js';
export { ClaimedSession, type Commit, type ParkCommit, type Reset, type Stepped } from './claimed-session.js';
export { EventLog, type LoggedEvent } from './event-log.js';
export { lastOfEachTurn } from './last-of-each-turn.js';
export { answerEnvelope, parkCode, Parks, type ParkAnswer, type ParkedTurn } from './parks.js';
export { ToolResults } from './tool-results.js';
export { Receipts } from './receipts.js';
export { Sessions, type Accepted, type AskedBy, type AcceptOptions, type Cancelled, type CancelRequest } from './sessions.js';
export { type SessionState } from './session-state.js';
