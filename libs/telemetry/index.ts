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
export { Redactor } from './redactor.js';
export { OTHER } from './label-bound.js';
export type { JobCount } from './job-counts.js';
export { Metrics, type BuildInfo } from './metrics.js';
export {
  agentSpan,
  answerAttributes,
  answerContent,
  askedContent,
  chatSpan,
  toolContent,
  toolSpan,
  usageAttributes,
} from './tracing/gen-ai.js';
export { channelSpan, processSpan, sendSpan } from './tracing/messaging.js';
export {
  currentTrace,
  errorType,
  inSpan,
  inSpanOf,
  openSpanOf,
  Span,
  traceIds,
  type Attributes,
  type SpanSpec,
} from './tracing/spans.js';
export { startTracing, tracing } from './tracing/tracing.js';
