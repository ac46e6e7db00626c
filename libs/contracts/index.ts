export {
  envelopeSchema,
  ENVELOPE_VERSION,
  type Envelope,
  type Media,
  type MediaType,
  type MessageContext,
  type MessageHistory,
  type Target,
  type WorkClass,
} from './envelope.schema.js';
export type { ClientConversation } from './client-request.schema.js';
export { inboundEventSchema, type InboundEvent, type InboundKind } from './inbound-event.schema.js';
export type {
  AssistantMessage,
  ChatMessage,
  ImageReference,
  Thought,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './chat-message.schema.js';
export { costOf, millionths, type Spent, type Tier, type Usage } from './usage.schema.js';
export type { TurnInputRecord, TurnOutcome, TurnRecord } from './transcript.schema.js';
export type { Park, ParkDecision, ShownPark } from './park.schema.js';
export type { JournalEntry } from './journal.schema.js';
export {
  buttonSchema,
  outboundMediaSchema,
  type Button,
  type DeliveryMode,
  type OutboundMedia,
  type OutboxAction,
  type OutboxRow,
  type SendExtras,
} from './outbox.schema.js';
export { traceContextSchema, type TraceContext } from './trace-context.schema.js';
export { turnEventSchema, type TurnEvent } from './turn-event.schema.js';
export { cancelHintSchema, CONTROL, type CancelHint, type CancelReason } from './control.schema.js';
export {
  sessionSettingsSchema,
  thinkingLevelSchema,
  type SessionSettings,
  type SettingsPatch,
  type ThinkingLevel,
} from './session-settings.schema.js';
export { dropPolicySchema, queueModeNameSchema, type DropPolicy, type QueueMode } from './queue-mode.schema.js';
export { deadLetterSchema, replaySchema, type DeadLetter, type Replay } from './dead-letter.schema.js';
export { receiptSchema, type Receipt } from './receipt.schema.js';
export {
  mcpAnnotationsSchema,
  mcpLockSchema,
  mcpToolListSchema,
  mcpToolSchema,
  type McpLock,
  type McpTool,
  type McpToolList,
} from './mcp-tool.schema.js';
export { INVOKE, invocationSchema, type Invocation } from './invocation.schema.js';
