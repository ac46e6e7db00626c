export { ModelRegistry, type FoundModel } from './model-registry.js';
export { nameOf, type Candidate, type CandidateHealth } from './failover/candidate.js';
export { mostFailures, type Rest } from './failover/failover-policy.js';
export { keysFor } from './failover/key-order.js';
export type { FailoverEvent } from './failover/chain-parts.js';
export { ModelChain } from './failover/model-chain.js';
export { modelProvider } from './providers.js';
export { ScriptedProvider } from './scripted/scripted-provider.js';
export { nearestLevel } from './thinking-levels.js';
