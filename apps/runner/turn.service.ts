import { Inject, Injectable } from '@nestjs/common';
import { priced } from '#agent';
import { answering, ChannelRegistry, Typing, type ChannelCapabilities } from '#channels';
import { agentConfig, ConfigSource, goneAgent, tenantConfig, type AgentConfig, type Config } from '#config';
import { INVOKE, type DropPolicy, type TurnRecord } from '#contracts';
import { backoffMs, checkpoint, forwardAborts, systemClock, TransientError } from '#kernel';
import { LOGGER, Platform } from '#host';
import type { TakenMessage } from '#lanes';
import { ClaimedSession } from '#sessions';
import { agentSpan, inSpan, Metrics, OTHER, Redactor, TurnLog, type Logger } from '#telemetry';
import { AgentParts } from './agent-parts.js';
import { cancelledBy } from './cancelled-turn.js';
import { invokeTool } from './commands/invoke-tool.js';
import { obeyCommand } from './commands/obey-command.js';
import { isMuted, join, messageIds, recoveryCause, type ClaimedTurn } from './claimed-turn.js';
import { droppedEnding } from './dropped-messages.js';
import { GONE } from './gone-channel.js';
import { ModelCalls } from './model-calls.service.js';
import { ParkedTurns } from './parked-turns.js';
import { previewOf } from './preview-of.js';
import { RunningTurns } from './running-turns.js';
import { TurnTimeout } from './stop-reasons.js';
import { countSpending } from './spending-metrics.js';
import { TurnBudgets } from './turn-budgets.js';
import { TurnAttempt } from './turn-attempt.js';
import { TurnCommit, type Committed, type Ending } from './turn-commit.js';
import { MAX_ERRORS, MAX_INTERNAL_ERRORS, noticeFor, turnEndOf, type TurnEnd } from './turn-end.js';
import { TurnObservers } from './turn-observers.js';

type Failure = Extract<TurnEnd, { kind: 'retry' }>;
type Failed = Pick<Failure, 'code' | 'message'> & { notice?: string | undefined };

export type TurnDone =
  /** `startsEpoch`: nothing that was said before counts any more. */
  | { kind: 'committed'; record: TurnRecord; relayed: number | undefined; startsEpoch: boolean }
  | { kind: 'abandon' }
  | { kind: 'handBack' }
  | { kind: 'wait'; afterMs: number }
  | { kind: 'retry'; afterMs: number };

/** What a turn asks of the activation that runs it. */
export interface OfTurn {
  /** The journal has grown: the turn gets on, so it is no suspect. */
  cleared(): void;
  /** Takes the messages that join the turn. Throws LeaseLostError. */
  takeMore(): Promise<readonly TakenMessage[]>;
}

const NO_ACTIVATION: OfTurn = { cleared: () => undefined, takeMore: async () => [] };

/** Runs one taken turn to one of its ends: answered, cancelled, failed, dead, recorded; or says why it must go on later or elsewhere. */
@Injectable()
export class TurnService {
  private readonly observers: TurnObservers;
  private readonly typing: Typing;

  constructor(
    private readonly source: ConfigSource,
    private readonly platform: Platform,
    private readonly channels: ChannelRegistry,
    private readonly agents: AgentParts,
    private readonly calls: ModelCalls,
    private readonly parks: ParkedTurns,
    private readonly budgets: TurnBudgets,
    private readonly running: RunningTurns,
    private readonly metrics: Metrics,
    private readonly log: TurnLog,
    private readonly redactor: Redactor,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.observers = new TurnObservers(agents.hooks);
    this.typing = new Typing(channels);
  }

  /** @param stop fires when this process leaves. */
  async run(turn: ClaimedTurn, stop: AbortSignal, activation: OfTurn): Promise<TurnDone> {
    const began = systemClock.monotonic();
    this.started(turn);
    const abort = new AbortController();
    const leave = this.running.enter(turn.claim.key, { turn: turn.id, abort });
    const agent = this.agentOf(turn) ?? goneAgent;
    const timer = setTimeout(
      () => abort.abort(new TurnTimeout(`The turn ran longer than ${agent.maxTurnMs} ms`)),
      agent.maxTurnMs,
    );
    const attempt = this.attempt(turn, abort.signal, agent, activation);
    const stopForwarding = forwardAborts(abort, [stop, turn.claim.signal]);
    this.metrics.turnsActive.inc();
    try {
      const ending = await this.ending(turn, attempt);
      if ('kind' in ending) return ending;
      await attempt.events.flush();
      const committed = await this.commit(turn, attempt, ending);
      if (ending.park && committed.record.outcome === 'parked') this.parks.laidAside(turn, ending.park.parked);
      else this.ended(turn, committed, attempt, began);
      const { record, relayed } = committed;
      return { kind: 'committed', record, relayed, startsEpoch: ending.startsEpoch ?? false };
    } catch (error) {
      return this.settle(turn, attempt, turnEndOf(error, turn.claim.signal.aborted), error);
    } finally {
      this.metrics.turnsActive.dec();
      attempt.preview?.close();
      clearTimeout(timer);
      stopForwarding();
      leave();
    }
  }

  /** A message whose process died too often: committed as dead, with a notice. */
  async bury(turn: ClaimedTurn): Promise<TurnDone> {
    this.metrics.deadLetters.inc({ queue: 'turns', reason: 'crashed' });
    const say = { mode: 'notice' as const, text: noticeFor('crashed') };
    return this.endUnrun(turn, { outcome: 'dead', reason: 'crashed', messages: [], say });
  }

  /** Messages that were too many to wait. */
  async drop(turn: ClaimedTurn, policy: DropPolicy): Promise<TurnDone> {
    return this.endUnrun(turn, droppedEnding(turn.envelopes, policy));
  }

  private async endUnrun(turn: ClaimedTurn, ending: Ending): Promise<TurnDone> {
    const attempt = this.attempt(turn, turn.claim.signal, this.agentOf(turn) ?? goneAgent, NO_ACTIVATION);
    const committed = await this.commit(turn, attempt, ending);
    this.ended(turn, committed, attempt, systemClock.monotonic());
    return { kind: 'committed', record: committed.record, relayed: committed.relayed, startsEpoch: false };
  }

  private async ending(turn: ClaimedTurn, attempt: TurnAttempt): Promise<Ending | TurnDone> {
    if (turn.envelopes[0].kind === 'record' && !turn.cancelled) return { outcome: 'recorded', messages: [], say: undefined };
    // Over before the answer leaves: a sign that comes behind it would stay.
    const agent = this.agentOf(turn);
    using _ = this.typing.keep(answering(turn.envelopes[0]), agent?.typing ?? false);
    try {
      if (!agent && !turn.cancelled) throw unknownAgent(turn);
      if (agent && !turn.cancelled && turn.envelopes[0].command)
        return await this.obey(attempt, agent, turn.envelopes[0].command);
      if (!turn.cancelled) await this.budgets.check(turn);
      const { messages, text, park } = await inSpan(agentSpan(turn.envelopes[0]), () => attempt.run());
      if (park) return await this.parks.layAside(turn, attempt, park);
      return { outcome: 'answered', messages, state: attempt.progress.state, say: { mode: 'final', text } };
    } catch (error) {
      const end = turnEndOf(error, turn.claim.signal.aborted);
      const messages = attempt.progress.interrupted();
      if (end.kind === 'cancelled') return cancelledBy(turn, attempt, end.why);
      if (end.kind === 'failed') return this.failed(turn, end, messages);
      if (end.kind === 'retry' && (await this.exhausted(turn, end, attempt))) return this.failed(turn, end, messages);
      return this.settle(turn, attempt, end, error);
    }
  }

  /** A turn that somebody stopped while it was about to be parked is not parked. */
  private async commit(turn: ClaimedTurn, attempt: TurnAttempt, ending: Ending): Promise<Committed> {
    const commit = this.commitOf(turn, attempt);
    const compaction = ending.startsEpoch ? undefined : attempt.progress.compaction;
    const spent = priced(attempt.progress.ledger.lines, this.config.models.prices);
    const accounts = attempt.keys.kept;
    const committed =
      (await commit.end({ ...ending, compaction, accounts, spent: ending.park ? [] : spent })) ??
      (await commit.end({ ...cancelledBy(turn, attempt), compaction, accounts, spent }));
    if (!committed) throw new Error('Only a park is refused');
    this.said(turn, committed);
    return committed;
  }

  private async obey(attempt: TurnAttempt, agent: AgentConfig, { name, args }: { name: string; args: string }): Promise<Ending> {
    if (name === INVOKE) return invokeTool(args, attempt);
    const { turn } = attempt;
    const [{ tenant }] = turn.envelopes;
    const { session: settings } = tenantConfig(this.config, tenant) ?? this.config;
    const session = this.sessionOf(turn);
    const ending = await obeyCommand(name, {
      turn,
      args,
      agent,
      archiveTtlMs: settings.archiveTtlMs,
      models: this.agents.models(this.config),
      session,
      compact: (focus) => attempt.compact(focus),
    });
    checkpoint('runner.command-done');
    if (ending.startsEpoch && ending.begun) this.observers.epochBegan(turn, name);
    return ending;
  }

  private failed(turn: ClaimedTurn, { code, message, notice }: Failed, messages: Ending['messages']): Ending {
    this.logger.error({ turnId: turn.id, session: turn.claim.key, code, error: message }, 'Turn failed');
    return { outcome: 'failed', reason: code, messages, say: { mode: 'notice', text: notice ?? noticeFor(code) } };
  }

  /** Errors are counted by class in the journal, and failed model calls with them, so that the count survives this process. */
  private async exhausted(turn: ClaimedTurn, { code, message }: Failure, attempt: TurnAttempt): Promise<boolean> {
    const { models, progress } = attempt;
    const before = turn.journal.filter((entry) => entry.k === 'error' && entry.code === code).length;
    if (before + 1 >= (code === 'internal' ? MAX_INTERNAL_ERRORS : MAX_ERRORS) || !models.mayGoOn) return true;
    const cost = { calls: models.failedCalls, spent: [...progress.ledger.unwritten] };
    await this.sessionOf(turn).step([{ k: 'error', code, message: message.slice(0, 500), ...cost }]);
    return false;
  }

  private settle(turn: ClaimedTurn, attempt: TurnAttempt, end: TurnEnd, error: unknown): TurnDone {
    if (end.kind === 'abandon') {
      this.metrics.leaseLost.inc({ lane: 'turns' });
      return { kind: 'abandon' };
    }
    if (end.kind === 'handBack' || end.kind === 'wait') return end;
    const tries = turn.journal.filter((entry) => entry.k === 'error').length + 1;
    const afterMs = Math.max(backoffMs(tries), end.kind === 'retry' ? (end.retryAfterMs ?? 0) : 0);
    this.logger.warn(
      { err: error, turnId: turn.id, session: turn.claim.key, afterMs, steps: attempt.progress.messages.length },
      'Turn goes on later',
    );
    return { kind: 'retry', afterMs };
  }

  private attempt(turn: ClaimedTurn, signal: AbortSignal, agent: AgentConfig, activation: OfTurn): TurnAttempt {
    const channel = this.capabilitiesOf(turn);
    const { agents, calls, platform, metrics, log, redactor, logger, config } = this;
    const session = this.sessionOf(turn);
    const preview = previewOf(turn, { channels: this.channels, platform, session, lockMs: config.lanes.lockMs });
    const takeMore = async () => {
      const more = join(turn, await activation.takeMore());
      this.observers.received(more);
      return more;
    };
    const ofTurn = { agent, session, channel, preview, takeMore, onStep: () => activation.cleared() };
    return new TurnAttempt(turn, { config, agents, calls, platform, metrics, log, redactor, logger, ...ofTurn }, signal);
  }

  private commitOf(turn: ClaimedTurn, { rows, sends, targets, preview }: TurnAttempt): TurnCommit {
    const channel = this.capabilitiesOf(turn);
    return new TurnCommit(turn, this.sessionOf(turn), this.platform.relay, rows, sends, targets, channel, preview);
  }

  private capabilitiesOf(turn: ClaimedTurn): ChannelCapabilities {
    const [{ target }] = turn.envelopes;
    const capabilities = this.channels.find(target.channel, target.account)?.outbound.capabilities ?? GONE;
    return isMuted(turn) ? { ...capabilities, immediateSend: false } : capabilities;
  }

  private sessionOf({ claim }: ClaimedTurn): ClaimedSession {
    return new ClaimedSession(this.platform.work, this.platform.keyspace, claim);
  }

  private agentOf({ envelopes: [{ tenant, agent }] }: ClaimedTurn): AgentConfig | undefined {
    return agentConfig(this.config, tenant, agent);
  }

  private get config(): Config {
    return this.source.current;
  }

  private said(turn: ClaimedTurn, { said }: Committed): void {
    const { tenant } = turn.envelopes[0];
    const ofTurn = { turnId: turn.id, session: turn.claim.key, tenant };
    for (const { mode, n, text } of said) this.log.messageQueued({ ...ofTurn, deliveryMode: mode, sequenceInTurn: n, text });
  }

  private started(turn: ClaimedTurn): void {
    checkpoint('runner.taken');
    const cause = recoveryCause(turn);
    if (cause) this.metrics.turnRecoveries.inc({ cause });
    const [{ tenant, agent, text }] = turn.envelopes;
    const attempt = Math.max(...turn.messages.map(({ crashes }) => crashes)) + 1;
    this.log.turnStarted({
      turnId: turn.id,
      session: turn.claim.key,
      tenant,
      agent,
      messageIds: messageIds(turn),
      attempt,
      text,
    });
    this.observers.began(turn);
  }

  private ended(
    turn: ClaimedTurn,
    { record, immediateCount, batchedCount }: Committed,
    attempt: TurnAttempt,
    began: number,
  ): void {
    const { outcome, reason } = record;
    const { progress } = attempt;
    const durationMs = Math.round(systemClock.monotonic() - began);
    const agent = this.agentOf(turn) ? turn.envelopes[0].agent : OTHER;
    this.metrics.turnDuration.observe({ agent, outcome }, durationMs / 1000);
    countSpending(this.metrics, record.spent ?? []);
    const steps = progress.messages.filter(({ role }) => role === 'assistant').length;
    const { tenant } = turn.envelopes[0];
    const ofTurn = { turnId: turn.id, session: turn.claim.key, tenant };
    this.log.turnEnded({ ...ofTurn, outcome, reason, durationMs, steps, immediateCount, batchedCount });
    this.observers.ended(turn, record, { durationMs, steps, usage: progress.ledger.total });
    if (outcome !== 'command') void attempt.afterTurn(record);
  }
}

/** In a rollout another runner may know it already. */
function unknownAgent({ envelopes: [{ tenant, agent }] }: ClaimedTurn): TransientError {
  return new TransientError('unknown_agent', `Agent ${agent} of tenant ${tenant} is not in the configuration of this process`);
}
