/** The only importer of BullMQ: what others need of it is exported here by name. */
export type { Queue } from 'bullmq';
export { Admission } from './admission.js';
export { AdmissionScript, type Admitted, type Candidate } from './admission-script.js';
export { claimBuckets } from './buckets.js';
export { Backlog, type LaneLoad } from './backlog.js';
export { BusySessions, type BusyKey } from './busy-sessions.js';
export { attemptOf, type Claim, type ClaimEnd } from './claim.js';
export { CatalogVersion } from './catalog-version.js';
export { CrashCompany } from './crash-company.js';
export { DeadLetters, type ReplayAnswer } from './dead-letters.js';
export {
  DeliveryMailbox,
  type Delivery,
  type DeliveryAges,
  type DeliveryState,
  type DeliveryTake,
  type NextDelivery,
} from './delivery-mailbox.js';
export { FleetLimits, type FleetLoad } from './fleet-limits.js';
export { GuardedMulti } from './guarded-multi.js';
export { Lane, type LaneKey, type LaneName } from './lane.js';
export { LaneWorker, type LaneWorkerSettings } from './lane-worker.js';
export { Relay, type HandOver } from './relay.js';
export type { SendLimits, SendPause, SendRate } from './send-permits.js';
export { SparePermits } from './spare-permits.js';
export { SessionMailbox, type TakeRequest } from './session-mailbox.js';
export { MessageRefused, SessionMailboxes, type Accepted, type NewMessage } from './session-mailboxes.js';
export { Timers, type Timer } from './timers.js';
export { Sweeper, type SweepFindings } from './sweeper.js';
export type { NumberedRow, Take, TakenMessage, TakenTurn } from './take-reply.js';
