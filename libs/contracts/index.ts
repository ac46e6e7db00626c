export {
  envelopeSchema,
  ENVELOPE_VERSION,
  targetSchema,
  type Envelope,
  type Media,
  type Target,
  type WorkClass,
} from './envelope.schema.js';
export { inboundEventSchema, type InboundEvent, type InboundKind } from './inbound-event.schema.js';
export {
  chatMessageSchema,
  toolCallSchema,
  usageSchema,
  type AssistantMessage,
  type ChatMessage,
  type ToolCall,
  type ToolMessage,
  type Usage,
  type UserMessage,
} from './chat-message.schema.js';
export { turnRecordSchema, type TurnOutcome, type TurnRecord } from './transcript.schema.js';
export { journalEntrySchema, type JournalEntry } from './journal.schema.js';
export { outboxRowSchema, type DeliveryMode, type OutboxRow } from './outbox.schema.js';
export { turnEventSchema, type TurnEvent } from './turn-event.schema.js';
export { cancelTargetSchema, CONTROL, type CancelHint, type CancelTarget } from './control.schema.js';
export { receiptSchema, type Receipt } from './receipt.schema.js';
