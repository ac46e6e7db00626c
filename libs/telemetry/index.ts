export {
  LOG_LINES,
  TurnLog,
  type MessageDelivered,
  type OfMessage,
  type ToolCalled,
  type TurnEnded,
  type TurnStarted,
} from './log-lines.js';
export { createLogger, type Logger, type LoggerOptions, type Logging } from './logger.js';
export { OTHER } from './label-bound.js';
export type { JobCount } from './job-counts.js';
export { Metrics, type BuildInfo } from './metrics.js';
