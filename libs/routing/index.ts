export {
  commandHelp,
  commandNames,
  parseCommand,
  specOf,
  type CommandName,
  type CommandSpec,
  type ParsedCommand,
} from './commands/index.js';
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
