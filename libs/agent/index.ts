export type {
  ImageView,
  ModelEvent,
  ModelProvider,
  ModelRequest,
  SaidLimit,
  SeenImage,
  StopReason,
  ToolSpec,
} from './model-port.js';
export type { Tool, ToolContext, ToolEffect, ToolResult, ToolState } from './tool-port.js';
export { PLAIN_TEXT } from './turn-port.js';
export type {
  MessageAbilities,
  SendRequest,
  SendState,
  SharedCall,
  SharedResults,
  Step,
  StepReply,
  TurnSends,
} from './turn-port.js';
export type {
  Assembled,
  Compaction,
  ContextBudget,
  ContextEngine,
  Conversation,
  PastTurn,
  Summariser,
  TurnMessages,
} from './context/context-engine.js';
export { FallbackEngine, type EngineFailure } from './context/fallback-engine.js';
export { AnswerParts } from './answer-parts.js';
export { FallbackOverflow } from './context/context-overflow.js';
export { windowOf } from './context/model-windows.js';
export { requestTokens } from './context/token-estimate.js';
export { defaultEngine } from './context/default-engine.js';
export type { ContextEvent, ContextSettings } from './context/context-settings.js';
export type { HookAnswer, HookContracts, HookKind, HookName, HookPayload } from './hooks/hook-contracts.js';
export { HOOKS } from './hooks/hook-contracts.js';
export { Hooks, type HookHandler, type HookOptions } from './hooks/hooks.js';
export { compactNow, type Compacted } from './compact-now.js';
export { askModel } from './ask-model.js';
export { runCall } from './run-call.js';
export { runTurn } from './run-turn.js';
export { priced } from './spending.js';
export { totalOf } from './turn-ledger.js';
export { TurnProgress } from './turn-progress.js';
export {
  TurnCancelled,
  TurnRefused,
  type ToolCallLog,
  type ToolRunner,
  type TurnDeps,
  type TurnEventDraft,
  type TurnInput,
  type TurnResult,
} from './turn-types.js';
