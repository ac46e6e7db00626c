import type { Spent } from '#contracts';
import type { ModelProvider } from '../model-port.js';
import { NotNowError } from '#kernel';
import { underSignal } from '../under-signal.js';
import type { Compaction, ContextBudget, Conversation } from './context-engine.js';
import type { ContextSettings } from './context-settings.js';
import { conversationSize } from './conversation-size.js';
import { defaultEngine } from './default-engine.js';
import { modelSummariser } from './model-summariser.js';
import { windowOf } from './model-windows.js';

interface AgentModel {
  provider: ModelProvider;
  model: string;
  windowTokens: number;
}

const TIMEOUT_MS = 60_000;

/** One try to compact a conversation, within a time of its own (B033). */
export class CompactionRun {
  /** @param pay told of what each question cost, whatever comes of it */
  constructor(
    private readonly settings: ContextSettings,
    private readonly agentModel: AgentModel,
    private readonly pay: (spent: Spent | undefined) => void,
    private readonly signal: AbortSignal,
  ) {}

  /** @param focus what to keep above all. @returns undefined when there was nothing to cover. Rejects only with the signal's reason, or with NotNowError where that is within the time. */
  async compact(conversation: Conversation, budget: ContextBudget, focus = ''): Promise<Compaction | 'failed' | undefined> {
    const { compactTimeoutMs = TIMEOUT_MS, report } = this.settings;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`No summary within ${compactTimeoutMs} ms`)), compactTimeoutMs);
    report?.({ kind: 'compacting', ...conversationSize(conversation) });
    try {
      return await this.#ask(conversation, budget, focus, AbortSignal.any([this.signal, limit.signal]));
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof NotNowError && error.afterMs <= compactTimeoutMs) throw error;
      report?.({ kind: 'compactionFailed', error });
      return 'failed';
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(
    conversation: Conversation,
    budget: ContextBudget,
    focus: string,
    stop: AbortSignal,
  ): Promise<Compaction | undefined> {
    const { engine = defaultEngine, utilityModel, windows } = this.settings;
    const writer = utilityModel
      ? { ...utilityModel, windowTokens: windowOf(utilityModel.provider.id, utilityModel.model, windows) }
      : this.agentModel;
    const summariser = modelSummariser(writer, this.pay, focus, stop);
    const compaction = await underSignal(stop, () => engine.compact(conversation, budget, summariser, stop));
    if (compaction && !conversation.history.some(({ turn }) => turn === compaction.upTo))
      throw new Error(`The summary covers up to ${compaction.upTo}, which is no earlier turn`);
    return compaction;
  }
}
