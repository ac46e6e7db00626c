import type {
  ChatMessage,
  JournalEntry,
  ThinkingLevel,
  Park,
  ToolCall,
  TraceContext,
  TurnEvent,
  Usage,
  UserMessage,
} from '#contracts';
import { TerminalError, type Clock } from '#kernel';
import type { PastTurn } from './context/context-engine.js';
import type { ContextSettings } from './context/context-settings.js';
import type { Hooks } from './hooks/hooks.js';
import type { LoopLimits } from './loops/loop-detector.js';
import type { ModelPrice, ModelProvider } from './model-port.js';
import type { Tool, ToolResult } from './tool-port.js';
import type { TurnProgress } from './turn-progress.js';
import type { SharedResults, Step, TurnSends } from './turn-port.js';

export interface TurnInput {
  turn: string;
  session: string;
  tenant: string;
  system: string;
  /** The provider's own model name. */
  model: string;
  /** Stands for all turns before `history`; default none. */
  summary?: string;
  /** Earlier turns, oldest first. */
  history: readonly PastTurn[];
  /** The messages this turn answers. */
  user: readonly UserMessage[];
  /** Empty for a fresh turn; what an earlier attempt journalled otherwise. */
  journal: readonly JournalEntry[];
  /** Messages that joined, by their ids in the journal; default none. */
  joined?: ReadonlyMap<string, UserMessage>;
  /** A cancel came before this attempt: what the journal holds is kept, nothing new begins. Default: false. */
  cancelled?: boolean;
  tools: readonly Tool[];
  /** Which of `tools` an answer of provider/model may call, asked when it does; undefined: nobody knows who answered. Default: all. */
  allowed?(model: string | undefined): (tool: string) => boolean;
  /** Send text written beside tool calls at once, before those tools run (B005); default true. */
  narration?: boolean;
  thinking?: ThinkingLevel | undefined;
  /** Of every request of the session; default: none. */
  cacheKey?: string | undefined;
  /** Narrate the names of the tools that are called; default false. */
  verbose?: boolean;
  /** Send what the model thinks before it answers, marked as that; default false (TU-8). */
  showReasoning?: boolean;
  /** Answers that may call tools, before one last answer without them; default 30. */
  maxSteps?: number;
  /** Failures in a row after which a tool is withheld for the rest of the turn (TU-5); default 5. */
  toolFailureLimit?: number;
  /** Default: off. */
  loopDetection?: LoopLimits;
  /** Tokens of all answers, in and out, after which no further one is asked for; 0 = unlimited, the default. */
  maxTokens?: number;
  /** The same for their cost by `prices`, in the currency of those. */
  maxCost?: number;
  /** By provider/model. */
  prices?: Readonly<Record<string, ModelPrice>>;
}

/** With nothing left to default. */
export type WholeTurnInput = Required<Omit<TurnInput, 'thinking' | 'cacheKey'>> & Pick<TurnInput, 'thinking' | 'cacheKey'>;

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

/** Runs `run` and gives back its result; `trace` is the place of this run, for who traces. */
export type ToolRunner = (
  call: ToolCall,
  args: Readonly<Record<string, unknown>>,
  run: (trace: TraceContext | undefined) => Promise<ToolResult>,
) => Promise<ToolResult>;

export interface TurnDeps {
  provider: ModelProvider;
  /** Finds the provider of a `provider/model` that a hook chose; throws where there is none. Without it hooks cannot change the model. */
  resolveModel?(name: string): { provider: ModelProvider; model: string };
  /** Default: none. */
  hooks?: Hooks;
  step: Step;
  /** Takes the messages that want to join and may, and journals that in the same write; default: none ever do. Throws LeaseLostError. */
  join?: () => Promise<readonly UserMessage[]>;
  sends: TurnSends;
  /** A value of the session that earlier turns have left, as JSON; default: there are none. */
  readState?(key: string): Promise<string | undefined>;
  /** Best effort; must not throw. */
  emit(event: TurnEventDraft): void;
  clock: Clock;
  /** Each call that has ended (OUT-4). */
  log?: (message: 'Tool call ended', fields: ToolCallLog) => void;
  /** A tool went on after its signal and its grace: it is no longer waited for. Also called after the turn has ended. */
  toolAbandoned?(tool: string): void;
  /** Takes what nobody may read, secrets of the deployment, out of what a tool says; default: all of it is kept. */
  redact?(text: string): string;
  /** Stands around each run of a tool; default: nothing does. */
  around?: ToolRunner;
  /** Why a tool of the turn may not be called any more. Asked before each call. */
  refusal?(tool: string): string | undefined;
  /** Where tools that declare a `cacheTtlMs` find results of earlier turns; default: nowhere. */
  sharedResults?: SharedResults;
  /** How the model's window is filled (CX-1); default: the built-in engine. */
  context?: ContextSettings;
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
  /** The turn is not at its end: it waits for a person. */
  park?: Park;
}

/** A cancel that names this turn was pending when a step was written. The caller commits what there is. */
export class TurnCancelled extends Error {
  override name = 'TurnCancelled';
  constructor() {
    super('The turn was cancelled');
  }
}

/** A before_agent_start hook refused the turn. The message is the hook's reason: the user reads it. */
export class TurnRefused extends TerminalError {
  override name = 'TurnRefused';
  constructor(reason: string) {
    super('refused', reason);
  }
}
