/** The only importer of BullMQ: what others need of it is exported here by name. */
export type { Queue } from 'bullmq';
export { Admission, type Admitted, type Candidate, type FleetLimits } from './admission.js';
export { claimBuckets } from './buckets.js';
export { BusySessions, type BusyKey } from './busy-sessions.js';
export { attemptOf, type Claim, type ClaimEnd } from './claim.js';
export { CrashCompany } from './crash-company.js';
export { DeadLetters, type DeadDelivery } from './dead-letters.js';
export { DeliveryMailbox, type Delivery, type DeliveryState, type DeliveryTake, type NextDelivery } from './delivery-mailbox.js';
export { GuardedMulti } from './guarded-multi.js';
export { Lane, type LaneKey, type LaneName } from './lane.js';
export { LaneWorker, type LaneWorkerSettings } from './lane-worker.js';
export { Relay, type HandOver } from './relay.js';
export { SessionMailbox, type TakeRequest } from './session-mailbox.js';
export { SessionMailboxes, type Accepted, type NewMessage } from './session-mailboxes.js';
export { Timers, type Timer } from './timers.js';
export { Sweeper, type SweepFindings } from './sweeper.js';
export type { NumberedRow, Take, TakenMessage, TakenTurn } from './take-reply.js';
