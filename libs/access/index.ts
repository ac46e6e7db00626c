export { BotLoopGuard } from './bot-loop.guard.js';
export { GroupHistory } from './group-history.store.js';
export { readPairingCode } from './pairing-code.js';
export { Pairings, type ApprovedSender, type PairedSender, type PairingPlace, type PendingPairing } from './pairings.store.js';
