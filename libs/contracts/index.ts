export {
  envelopeSchema,
  ENVELOPE_VERSION,
  type Envelope,
  type Media,
  type MessageContext,
  type MessageHistory,
  type Target,
  type WorkClass,
} from './envelope.schema.js';
export { inboundEventSchema, type InboundEvent, type InboundKind } from './inbound-event.schema.js';
export type { AssistantMessage, ChatMessage, ToolCall, ToolMessage, Usage, UserMessage } from './chat-message.schema.js';
export type { TurnInputRecord, TurnOutcome, TurnRecord } from './transcript.schema.js';
export type { Park, ParkDecision, ShownPark } from './park.schema.js';
export type { JournalEntry } from './journal.schema.js';
export type { Button, DeliveryMode, OutboxRow } from './outbox.schema.js';
export { turnEventSchema, type TurnEvent } from './turn-event.schema.js';
export { cancelHintSchema, CONTROL, type CancelHint } from './control.schema.js';
export {
  queueModeSchema,
  sessionSettingsSchema,
  type QueueMode,
  type SessionSettings,
  type SettingsPatch,
  type ThinkingLevel,
} from './session-settings.schema.js';
export { receiptSchema, type Receipt } from './receipt.schema.js';
