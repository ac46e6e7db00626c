export { controlCommand, type ControlCommand } from './commands.js';
export { routeInbound, type Route } from './route-inbound.js';
export {
  apiSessionKey,
  conversationKey,
  parseSessionKey,
  sessionKey,
  type ChatType,
  type ParsedSessionKey,
  type SessionAddress,
} from './session-key.js';
