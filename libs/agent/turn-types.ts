import type { ChatMessage, JournalEntry, TurnEvent, Usage, UserMessage } from '#contracts';
import type { Clock } from '#kernel';
import type { ModelProvider } from './model-port.js';
import type { Tool } from './tool-port.js';
import type { TurnProgress } from './turn-progress.js';
import type { Step, TurnSends } from './turn-port.js';

export interface TurnInput {
  turn: string;
  session: string;
  tenant: string;
  system: string;
  /** The provider's own model name. */
  model: string;
  /** Earlier turns, oldest first. */
  history: readonly ChatMessage[];
  /** The messages this turn answers. */
  user: readonly UserMessage[];
  /** Empty for a fresh turn; what an earlier attempt journalled otherwise. */
  journal: readonly JournalEntry[];
  tools: readonly Tool[];
  /** Send text written beside tool calls at once, before those tools run (B005); default true. */
  narration?: boolean;
  /** Answers that may call tools, before one last answer without them; default 30. */
  maxSteps?: number;
  /** Failures in a row after which a tool is withheld for the rest of the turn (TU-5); default 5. */
  toolFailureLimit?: number;
}

type WithoutFence<E> = E extends { fence: string } ? Omit<E, 'fence'> : never;
/** A turn event before its writer adds the fence. */
export type TurnEventDraft = WithoutFence<TurnEvent>;

/** What the stable line `Tool call` is made of (docs/logs.md). `arguments` is content: written only where content is logged. */
export type ToolCallLog = {
  turnId: string;
  tool: string;
  callId: string;
  /** ms */
  durationMs: number;
  isError: boolean;
  arguments: string;
};

export interface TurnDeps {
  provider: ModelProvider;
  step: Step;
  sends: TurnSends;
  /** Best effort; must not throw. */
  emit(event: TurnEventDraft): void;
  clock: Clock;
  /** Each call that has ended (OUT-4). */
  log?: (message: 'Tool call ended', fields: ToolCallLog) => void;
  /** Pass one in to see how far a rejected turn came. */
  progress?: TurnProgress;
}

export interface TurnResult {
  /** Assistant and tool messages of this turn, in order, ready for the transcript. */
  messages: ChatMessage[];
  /** What the commit sends as the answer; '' for a silent reply. */
  text: string;
  usage: Usage;
  /** Model answers, those of earlier attempts included. */
  steps: number;
}

/** A cancel that names this turn was pending when a step was written. The caller commits what there is. */
export class TurnCancelled extends Error {
  override name = 'TurnCancelled';
  constructor() {
    super('The turn was cancelled');
  }
}
