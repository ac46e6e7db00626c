import type { ModelProvider } from '../model-port.js';
import type { Compaction, ContextEngine } from './context-engine.js';

/** How an agent's window is filled; what is left out has the defaults of docs/configuration.md. */
export interface ContextSettings {
  engine?: ContextEngine;
  /** Tokens by provider/model; default: by the model's name. */
  windows?: Readonly<Record<string, number>>;
  reserveTokens?: number;
  keepRecentTurns?: number;
  compactTimeoutMs?: number;
  /** For routine work: summaries, and a turn that before_model_resolve gives it; default: the agent's own model. */
  utilityModel?: { provider: ModelProvider; model: string } | undefined;
  /** Something an operator or a hook wants to know; must not throw. */
  report?: (event: ContextEvent) => void;
}

/** `messages` and `tokens` measure the conversation without system prompt and tools, by our estimate. */
export type ContextEvent =
  /** The provider refused a request of this many tokens. */
  | { kind: 'overflow'; model: string; tokens: number; windowTokens: number }
  | { kind: 'compacting'; messages: number; tokens: number }
  | ({ kind: 'compacted'; messages: number; tokens: number } & Compaction)
  | { kind: 'compactionFailed'; error: unknown };
