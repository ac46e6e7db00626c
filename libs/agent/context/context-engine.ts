import type { ChatMessage, UserMessage } from '#contracts';
import type { ToolSpec } from '../model-port.js';

/** One committed turn of a session. */
export interface PastTurn {
  turn: string;
  messages: readonly ChatMessage[];
}

/** All that a model could be shown. */
export interface Conversation {
  tenant: string;
  session: string;
  turn: string;
  system: string;
  tools: readonly ToolSpec[];
  /** Stands for everything before `history`; '' when nothing was compacted. */
  summary: string;
  /** Earlier turns, oldest first. */
  history: readonly PastTurn[];
  /** The messages that are answered now. */
  user: readonly UserMessage[];
  /** Answers and tool results of the running turn; every call in it has its result. */
  progress: readonly ChatMessage[];
}

export interface ContextBudget {
  /** Tokens, as the provider counts them. */
  windowTokens: number;
  /** Kept free for the answer; at most a quarter of the window counts. */
  reserveTokens: number;
  /** Provider's tokens for one of our estimate. */
  scale: number;
  keepRecentTurns: number;
}

export interface Assembled {
  messages: readonly ChatMessage[];
  /** Earlier turns that had no room: above 0 it is time to compact. */
  omittedTurns: number;
}

export interface Compaction {
  summary: string;
  /** The last turn the summary covers. */
  upTo: string;
}

/** The model that writes summaries. */
export interface Summariser {
  windowTokens: number;
  /** Throws as ModelProvider does. */
  ask(prompt: { system: string; text: string }): Promise<string>;
}

export interface TurnMessages {
  tenant: string;
  session: string;
  turn: string;
  messages: readonly ChatMessage[];
}

/**
 * Decides what of a conversation the model sees (CX-1). Holds no conversation itself: any process may ask next. A call
 * that throws, hangs or answers what no provider takes is made again at the built-in engine (FallbackEngine).
 */
export interface ContextEngine {
  readonly id: string;
  /** The messages a turn begins with; again after a crash, under the same turn. */
  ingest(turn: TurnMessages): Promise<void>;
  /**
   * Messages within the window less the reserve, the last user messages among them; a call never without its result.
   * Throws TerminalError('context_overflow') when the running turn alone has no room.
   */
  assemble(conversation: Conversation, budget: ContextBudget): Promise<Assembled>;
  /** A summary of all but the last `keepRecentTurns` turns; undefined when there is nothing to cover. */
  compact(
    conversation: Conversation,
    budget: ContextBudget,
    summariser: Summariser,
    signal: AbortSignal,
  ): Promise<Compaction | undefined>;
  /** What a committed turn added; may be missed when a process dies. */
  afterTurn(turn: TurnMessages): Promise<void>;
  /** The process ends. */
  dispose(): Promise<void>;
}
