export type { ModelEvent, ModelProvider, ModelRequest, ToolSpec } from './model-port.js';
export type { Tool, ToolContext, ToolEffect, ToolResult } from './tool-port.js';
export type { SendRequest, SendState, Step, StepReply, TurnSends } from './turn-port.js';
export { runTurn } from './run-turn.js';
export { TurnProgress } from './turn-progress.js';
export {
  TurnCancelled,
  type ToolCallLog,
  type TurnDeps,
  type TurnEventDraft,
  type TurnInput,
  type TurnResult,
} from './turn-types.js';
