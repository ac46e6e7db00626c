import {
  compactNow,
  runCall,
  runTurn,
  type Compacted,
  type Compaction,
  TurnCancelled,
  TurnProgress,
  type ModelProvider,
  type StepReply,
  type Tool,
  type ToolCallLog,
  type TurnDeps,
  type TurnResult,
} from '#agent';
import type { AgentConfig, Config } from '#config';
import {
  type CancelReason,
  type Envelope,
  type Invocation,
  type JournalEntry,
  type Spent,
  type TurnRecord,
  type UserMessage,
} from '#contracts';
import { checkpoint, raceSignal, systemClock, TerminalError } from '#kernel';
import type { Platform } from '#host';
import type { ClaimedSession } from '#sessions';
import { OTHER, tracing, type Logger, type Metrics, type Redactor, type TurnLog } from '#telemetry';
import type { ChannelCapabilities } from '#channels';
import { contextSettings } from './agent-context.js';
import type { AgentParts } from './agent-parts.js';
import { beginning, type ClaimedTurn } from './claimed-turn.js';
import { MessageTargets } from './message-targets.js';
import type { ModelCalls } from './model-calls.service.js';
import { commandOfPlugin } from './plugin-command.js';
import { promptCacheKey } from './prompt-cache-key.js';
import { SessionKeys } from './session-keys.js';
import { TurnEventWriter } from './turn-event-writer.js';
import { clientTurns, historyOf, underNewestSummary, type History } from './turn-history.js';
import { askedMessage, joinedBefore, userMessage } from './turn-messages.js';
import { failedCalls, TurnModels } from './turn-models.js';
import { tracedTool } from './traced-tool.js';
import { TurnRows } from './turn-rows.js';
import type { TurnPreview } from './turn-preview.js';
import { SessionTurnSends } from './turn-sends.js';
import { TurnTools } from './turn-tools.js';

export interface AttemptParts {
  config: Config;
  agent: AgentConfig;
  agents: AgentParts;
  calls: ModelCalls;
  session: ClaimedSession;
  platform: Pick<Platform, 'relay' | 'receipts' | 'toolResults'>;
  channel: ChannelCapabilities;
  /** Shows its text while it is written. */
  preview: TurnPreview | undefined;
  metrics: Metrics;
  log: TurnLog;
  logger: Logger;
  redactor: Redactor;
  /** Called once the journal has grown: a turn that gets on is no suspect. */
  onStep: () => void;
  /** What joins the turn. Throws LeaseLostError. */
  takeMore: () => Promise<readonly Envelope[]>;
}

/** One attempt at one turn: everything the agent's loop needs, bound to the claim. */
export class TurnAttempt {
  readonly progress: TurnProgress;
  readonly events: TurnEventWriter;
  readonly sends: SessionTurnSends;
  readonly rows: TurnRows;
  readonly keys: SessionKeys;
  readonly targets: MessageTargets;
  readonly models: TurnModels;
  private readonly history: History;
  private readonly tools: TurnTools;
  /** The agent has begun; a turn that was cancelled while it waited never does. */
  begun = false;
  /** Why it was told to stop. */
  cancelReason: CancelReason;

  constructor(
    readonly turn: ClaimedTurn,
    private readonly parts: AttemptParts,
    private readonly signal: AbortSignal,
  ) {
    const [envelope] = turn.envelopes;
    this.cancelReason = turn.cancelReason;
    const { session, log, channel, config } = parts;
    const { relay, receipts } = parts.platform;
    this.events = new TurnEventWriter(session, turn.claim.fence, envelope.watched);
    this.history = historyOf(turn.history, parts.agent.maxHistoryTurns, turn.id);
    this.progress = new TurnProgress(turn.journal);
    this.progress.compaction = this.history.carried;
    this.targets = new MessageTargets(turn, receipts);
    this.rows = new TurnRows(turn.id, envelope, receipts.process);
    const ofTurn = { turnId: turn.id, chosen: turn.settings.model, failedCalls: failedCalls(turn.journal), ...this.ids };
    this.keys = new SessionKeys(turn.history, parts.calls);
    this.tools = new TurnTools(config, turn.envelopes, parts.agents.visibleTools);
    const models = parts.agents.models(config);
    this.models = new TurnModels({ ...parts, models, keys: this.keys, tools: this.tools }, ofTurn);
    const { receiptWaitMs } = config.tools.message;
    const canSendNow = channel.immediateSend;
    this.sends = new SessionTurnSends(
      {
        session,
        relay,
        receipts,
        rows: this.rows,
        log,
        receiptWaitMs,
        canSendNow,
        abilities: channel,
        targets: this.targets,
        preview: parts.preview,
        signal,
      },
      turn.journal,
    );
  }

  get preview(): TurnPreview | undefined {
    return this.parts.preview;
  }

  /** See runTurn. A cancel that came before is obeyed at once; what the journal holds is kept. */
  async run(): Promise<TurnResult> {
    const { turn, parts } = this;
    if (turn.cancelled && turn.journal.length === 1) throw new TurnCancelled();
    this.begun = true;
    this.events.emit({ type: 'turn.start', turn: turn.id, messages: turn.inputs.map(({ id }) => id) });
    const commanded = await raceSignal(commandOfPlugin(parts.agents.plugins, turn), this.signal);
    if (commanded) return commanded;
    const [envelope] = turn.envelopes;
    const { models } = this;
    const { provider, model } = this.model();
    const tools = this.tools.from(await parts.agents.catalog.at(turn.catalogVersion));
    const input = {
      model,
      system: parts.agent.systemPrompt,
      summary: this.history.summary,
      history: [...this.history.turns, ...clientTurns(turn.id, envelope.client?.conversation)],
      user: beginning(turn).map((envelope) => askedMessage(envelope, parts.channel)),
      tools: tools.map((tool) => tool.inConversation?.(parts.channel) ?? tool),
      allowed: (by: string | undefined) => this.tools.allowed(by),
      cacheKey: promptCacheKey(this.ids),
    };
    const deps = {
      provider,
      resolveModel: (name: string) => models.resolve(name),
      context: contextSettings({ ...parts, models }, { turnId: turn.id, ...this.ids }),
      join: () => this.join(),
      refusal: (tool: string) => this.tools.refusal(tool),
    };
    return runTurn({ ...this.input(), ...input }, { ...this.deps(), ...deps }, this.signal);
  }

  /** A tool that the sender may invoke over HTTP. undefined: there is none of that name. */
  async invokable(name: string): Promise<Tool | undefined> {
    const { agents, channel } = this.parts;
    const tool = this.tools.invokable(await agents.catalog.at(this.turn.catalogVersion), name);
    return tool?.inConversation?.(channel) ?? tool;
  }

  /** One call, and nothing else: what waits stays for a turn of its own. */
  async invoke({ tool: name, args }: Invocation, tool: Tool): Promise<Pick<TurnResult, 'messages' | 'park'>> {
    const call = { id: `${this.turn.id}-call`, name, arguments: JSON.stringify(args) };
    return runCall({ ...this.input(), tools: [tool] }, call, this.deps(), this.signal);
  }

  private input() {
    const { turn, parts } = this;
    const { agent, config } = parts;
    return {
      turn: turn.id,
      session: turn.claim.key,
      tenant: turn.envelopes[0].tenant,
      journal: underNewestSummary(turn.journal, this.history.compaction),
      joined: joinedBefore(turn, parts.channel),
      cancelled: turn.cancelled,
      narration: agent.narration,
      verbose: turn.settings.verbose ?? false,
      thinking: turn.settings.thinking ?? agent.thinking,
      showReasoning: turn.settings.reasoning ?? false,
      maxSteps: agent.maxSteps,
      maxTokens: agent.maxTurnTokens,
      maxCost: agent.maxTurnCost,
      prices: config.models.prices,
      loopDetection: config.tools.loopDetection,
    };
  }

  private deps(): Omit<TurnDeps, 'provider'> {
    const { parts } = this;
    return {
      hooks: parts.agents.hooks,
      clock: systemClock,
      sends: this.sends,
      readState: (key) => parts.session.state(key),
      progress: this.progress,
      step: (entries) => this.step(entries),
      emit: (event) => [this.events, parts.preview].forEach((watcher) => watcher?.emit(event)),
      log: (_, call) => this.logTool(call),
      redact: (text) => parts.redactor.clean(text),
      ...(tracing().on && { around: tracedTool }),
      toolAbandoned: (tool) => parts.metrics.toolsAbandoned.inc({ tool }),
      sharedResults: parts.platform.toolResults,
    };
  }

  /** Compacts the conversation before this turn, now. See compactNow. */
  async compact(focus: string): Promise<Compacted | 'failed' | undefined> {
    const { turn, parts, history, progress, models } = this;
    const { summary, turns } = history;
    const request = {
      ...this.model(),
      conversation: { ...this.ids, turn: turn.id, summary, history: turns },
      settings: contextSettings({ ...parts, models }, { turnId: turn.id, ...this.ids }),
      hooks: parts.agents.hooks,
      focus,
      journal: turn.journal,
      pay: (spent: Spent | undefined) => progress.ledger.pay(spent),
      store: async (compaction: Compaction) =>
        void (await this.step([{ k: 'compacted', ...compaction, spent: [...progress.ledger.unwritten] }])),
    };
    const done = await compactNow(request, this.signal);
    if (done && done !== 'failed') progress.compaction = done.compaction;
    return done;
  }

  /** The one that /model chose; the agent's own when that one has left the configuration since. */
  private model(): { provider: ModelProvider; model: string } {
    const { agent, logger } = this.parts;
    const { model: chosen } = this.turn.settings;
    try {
      return this.models.resolve(chosen ?? agent.model);
    } catch (error) {
      if (chosen === undefined || !(error instanceof TerminalError)) throw error;
      logger.warn(
        { ...this.ids, model: chosen, error: error.message },
        'The model of the session is gone: the agent has its own',
      );
      return this.models.resolve(agent.model);
    }
  }

  /** The answer does not wait for it, and it does not fail. */
  async afterTurn({ turn, messages }: TurnRecord): Promise<void> {
    const { agents } = this.parts;
    await agents.context.afterTurn({ ...this.ids, turn, messages });
  }

  private get ids() {
    const { claim, envelopes } = this.turn;
    return { tenant: envelopes[0].tenant, session: claim.key };
  }

  private async step(entries: readonly JournalEntry[]): Promise<StepReply> {
    const { session, metrics, onStep } = this.parts;
    // Ahead of the step on the same connection: what was shown is in the stream before the answer is in the journal.
    const shown = this.events.flush();
    const { cancelled, why, joins } = await session.step(entries);
    await shown;
    for (const { k } of entries) metrics.steps.inc({ kind: k });
    onStep();
    checkpoint('runner.stepped');
    this.cancelReason = why;
    return { joins, cancelled: cancelled === this.turn.id };
  }

  private async join(): Promise<UserMessage[]> {
    const { turn, parts } = this;
    const more = await parts.takeMore();
    if (more.length > 0) {
      this.tools.join(more);
      this.events.emit({ type: 'turn.joined', turn: turn.id, messages: more.map(({ id }) => id) });
    }
    return more.map((envelope) => userMessage(envelope, parts.channel));
  }

  private logTool({ turnId, tool, callId, durationMs, isError, arguments: args }: ToolCallLog): void {
    const { log, metrics } = this.parts;
    const known = this.tools.allowed(undefined)(tool) ? tool : OTHER;
    metrics.toolCalls.inc({ tool: known, outcome: isError ? 'error' : 'ok' });
    const { claim, envelopes } = this.turn;
    log.toolCall({
      turnId,
      session: claim.key,
      tenant: envelopes[0].tenant,
      tool,
      callId,
      isError,
      durationMs: Math.round(durationMs),
      arguments: args,
    });
  }
}
