import { delay, NotNowError } from '#kernel';
import type {
  Assembled,
  Compaction,
  ContextBudget,
  ContextEngine,
  Conversation,
  Summariser,
  TurnMessages,
} from './context-engine.js';
import { faultOf } from './check-assembled.js';
import { defaultEngine } from './default-engine.js';

export interface EngineFailure {
  engine: string;
  operation: Exclude<keyof ContextEngine, 'id'>;
  error: unknown;
}

/** No turn waits longer for an engine than this; compaction has a limit of its own (agents.<id>.context.compactTimeoutMs). */
const LIMIT_MS = 10_000;

/** An engine whose failures cost nobody an answer: what it fails at, the built-in one does (CX-1). */
export class FallbackEngine implements ContextEngine {
  readonly id: string;

  /** @param failed must not throw. @param limitMs of each call but `compact` */
  constructor(
    private readonly engine: ContextEngine,
    private readonly failed: (failure: EngineFailure) => void,
    private readonly limitMs = LIMIT_MS,
  ) {
    this.id = engine.id;
  }

  ingest(turn: TurnMessages): Promise<void> {
    return this.#try('ingest', (engine) => engine.ingest(turn));
  }

  assemble(conversation: Conversation, budget: ContextBudget): Promise<Assembled> {
    return this.#try('assemble', async (engine) => {
      const assembled = await engine.assemble(conversation, budget);
      const fault = engine === defaultEngine ? undefined : faultOf(assembled.messages, conversation, budget);
      if (fault) throw new Error(fault);
      return assembled;
    });
  }

  async compact(
    conversation: Conversation,
    budget: ContextBudget,
    summariser: Summariser,
    signal: AbortSignal,
  ): Promise<Compaction | undefined> {
    try {
      return await this.engine.compact(conversation, budget, summariser, signal);
    } catch (error) {
      if (signal.aborted || error instanceof NotNowError || this.engine === defaultEngine) throw error;
      this.failed({ engine: this.id, operation: 'compact', error });
      return defaultEngine.compact(conversation, budget, summariser, signal);
    }
  }

  afterTurn(turn: TurnMessages): Promise<void> {
    return this.#try('afterTurn', (engine) => engine.afterTurn(turn));
  }

  dispose(): Promise<void> {
    return this.#try('dispose', (engine) => engine.dispose());
  }

  async #try<T>(operation: EngineFailure['operation'], call: (engine: ContextEngine) => Promise<T>): Promise<T> {
    if (this.engine === defaultEngine) return call(defaultEngine);
    try {
      return await within(this.limitMs, () => call(this.engine));
    } catch (error) {
      this.failed({ engine: this.id, operation, error });
      return call(defaultEngine);
    }
  }
}

async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const late = async (): Promise<never> => {
    await delay(ms, ended.signal);
    throw new Error(`No answer within ${ms} ms`);
  };
  try {
    return await Promise.race([call(), late()]);
  } finally {
    ended.abort();
  }
}
