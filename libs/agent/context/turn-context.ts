import type { ChatMessage, JournalEntry, Spent, ThinkingLevel, Usage, UserMessage } from '#contracts';
import { checkpoint } from '#kernel';
import type { ModelProvider, ModelRequest, ToolSpec } from '../model-port.js';
import { underSignal } from '../under-signal.js';
import { CompactionRun } from './compaction-run.js';
import { conversationSize } from './conversation-size.js';
import type { Compaction, ContextBudget, Conversation, PastTurn } from './context-engine.js';
import { FallbackOverflow } from './context-overflow.js';
import type { ContextSettings } from './context-settings.js';
import { defaultEngine } from './default-engine.js';
import { windowOf } from './model-windows.js';
import { requestTokens } from './token-estimate.js';

/** What the context of one attempt is made of. */
export interface ContextParts {
  turn: string;
  tenant: string;
  session: string;
  provider: ModelProvider;
  model: string;
  thinking?: ThinkingLevel | undefined;
  cacheKey?: string | undefined;
  summary: string;
  history: readonly PastTurn[];
  user: readonly UserMessage[];
  journal: readonly JournalEntry[];
  /** Grows while the turn runs. */
  progress: readonly ChatMessage[];
  settings: ContextSettings;
  signal: AbortSignal;
  /** Called with a compaction an earlier attempt journalled. */
  reuse(compaction: Compaction): void;
  /** Told of what each summary cost, whatever comes of it. */
  pay(spent: Spent | undefined): void;
  /** Journals a compaction before it counts; throws as `record` does. */
  store(compaction: Compaction): Promise<void>;
}

type Frame = { system: string; tools: readonly ToolSpec[] };

/** Once before asking and once when refused: more would mean that summaries do not help. */
const MOST_COMPACTIONS = 2;
/** Refusals of one question: compact, then cut harder, then give up (TU-6). */
const MOST_REFUSALS = 2;
/** Bounds of what one usage report may make of the estimate: some servers count nothing, some count twice. */
const SCALE = { least: 0.75, most: 3 };

/** The window of one attempt of a turn: what the model is shown, and what happens when that is too long. */
export class TurnContext {
  #summary: string;
  #history: readonly PastTurn[];
  #compactions = 0;
  #refusals = 0;
  #scale = 1;
  /** Smaller than its name says, once the provider has refused. */
  #windowTokens: number;

  constructor(private readonly parts: ContextParts) {
    this.#summary = parts.summary;
    this.#history = parts.history;
    this.#windowTokens = windowOf(parts.provider.id, parts.model, parts.settings.windows);
    for (const entry of parts.journal) {
      if (entry.k !== 'compacted') continue;
      this.#begin(entry);
      parts.reuse({ summary: entry.summary, upTo: entry.upTo });
    }
  }

  async ingest(): Promise<void> {
    const { tenant, session, turn, user: messages, signal } = this.parts;
    await underSignal(signal, () => this.#engine.ingest({ tenant, session, turn, messages }));
  }

  /** What to ask next; compacts first when earlier turns have no room. Throws TerminalError('context_overflow'). */
  async request(frame: Frame): Promise<ModelRequest> {
    const assembled = await this.#assemble(frame);
    const again = assembled.omittedTurns > 0 && (await this.#compact(frame));
    const { messages } = again ? await this.#assemble(frame) : assembled;
    const { model, thinking, cacheKey } = this.parts;
    return { model, ...(thinking && { thinking }), ...(cacheKey && { cacheKey }), ...frame, messages };
  }

  /** @param usage what the provider counted, when it did */
  answered(request: ModelRequest, usage: Usage | undefined): void {
    this.#refusals = 0;
    if (!usage || usage.inputTokens === 0) return;
    const scale = usage.inputTokens / requestTokens(request);
    this.#scale = Math.min(SCALE.most, Math.max(SCALE.least, scale));
  }

  /** Makes the next request of the same question shorter, or throws the refusal when nothing is left to give. */
  async refused(request: ModelRequest, refusal: unknown): Promise<void> {
    this.#refusals += 1;
    const tokens = Math.ceil(requestTokens(request) * this.#scale);
    const { model, windowTokens } =
      refusal instanceof FallbackOverflow ? refusal : { model: request.model, windowTokens: this.#windowTokens };
    this.parts.settings.report?.({ kind: 'overflow', model, tokens, windowTokens });
    if (this.#refusals > MOST_REFUSALS) throw refusal;
    this.#windowTokens = Math.min(this.#windowTokens, windowTokens);
    // What was refused is no window; every limit shrinks with it, that of the longest tool result first of all.
    this.#windowTokens = Math.min(this.#windowTokens, this.#refusals === 1 ? tokens : tokens / 2);
    if (this.#refusals === 1) await this.#compact(request);
  }

  #assemble(frame: Frame) {
    return underSignal(this.parts.signal, () => this.#engine.assemble(this.#conversation(frame), this.#budget()));
  }

  /** @returns whether there is a new summary. A compaction that fails costs its text, never the turn. */
  async #compact(frame: Frame): Promise<boolean> {
    if (this.#compactions >= MOST_COMPACTIONS || this.#history.length <= this.#budget().keepRecentTurns) return false;
    const { settings, provider, model, signal, store, pay } = this.parts;
    const run = new CompactionRun(settings, { provider, model, windowTokens: this.#windowTokens }, pay, signal);
    const conversation = this.#conversation(frame);
    const compaction = await run.compact(conversation, this.#budget());
    if (compaction === 'failed') this.#compactions += 1;
    if (!compaction || compaction === 'failed') return false;
    checkpoint('turn.summarised');
    await store(compaction);
    this.#begin(compaction);
    settings.report?.({ kind: 'compacted', ...compaction, ...conversationSize(this.#conversation(frame)) });
    checkpoint('turn.compacted');
    return true;
  }

  /** Goes on from a summary. */
  #begin({ summary, upTo }: Compaction): void {
    this.#compactions += 1;
    this.#summary = summary;
    this.#history = this.#history.slice(this.#history.findIndex(({ turn }) => turn === upTo) + 1);
  }

  #conversation({ system, tools }: Frame): Conversation {
    const { tenant, session, turn, user, progress } = this.parts;
    return { tenant, session, turn, system, tools, summary: this.#summary, history: this.#history, user, progress };
  }

  #budget(): ContextBudget {
    const { reserveTokens = 20_000, keepRecentTurns = 3 } = this.parts.settings;
    return { windowTokens: this.#windowTokens, reserveTokens, keepRecentTurns, scale: this.#scale };
  }

  get #engine() {
    return this.parts.settings.engine ?? defaultEngine;
  }
}
