export {
  commandHelp,
  commandNames,
  parkButtons,
  parkNotice,
  parseCommand,
  specOf,
  type CommandName,
  type CommandSpec,
  type OrderedName,
  type ParsedCommand,
} from './commands/index.js';
export { botPolicy, isOwner, type AccessPolicy } from './access/access-policy.js';
export { judgeAccess, type AccessFacts, type AccessVerdict } from './access/judge-access.js';
export type { ChatType, Place } from './place.js';
export { explainRoute, type TierReport } from './explain-route.js';
export { resetDue, resetRuleFor } from './reset-rule.js';
export { routeInbound } from './route-inbound.js';
export { Router, type Route, type RoutingRules } from './router.js';
export {
  apiSessionKey,
  conversationKey,
  conversationPlace,
  parseSessionKey,
  sessionKey,
  type ParsedSessionKey,
  type SessionAddress,
} from './session-key.js';
