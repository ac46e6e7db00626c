import { windowOf, type ModelProvider } from '#agent';
import type { AgentConfig, Config } from '#config';
import type { JournalEntry } from '#contracts';
import { describeError, NotNowError, systemClock, TerminalError } from '#kernel';
import {
  ModelChain,
  mostFailures,
  nameOf,
  type Candidate,
  type FailoverEvent,
  type FoundModel,
  type ModelRegistry,
} from '#models';
import type { Logger, Metrics } from '#telemetry';
import type { ModelCalls } from './model-calls.service.js';
import { PolicedProvider } from './policed-provider.js';
import type { SessionKeys } from './session-keys.js';
import type { TurnTools } from './turn-tools.js';

/** Finds a `provider/model`, or an alias. Throws TerminalError('model_not_found'). */
export interface ModelResolver {
  resolve(name: string): { provider: ModelProvider; model: string };
}

interface Parts {
  config: Config;
  agent: AgentConfig;
  models: ModelRegistry;
  calls: ModelCalls;
  keys: SessionKeys;
  /** What keeps tools from models; default: nothing. */
  tools?: Pick<TurnTools, 'allowed'>;
  metrics: Metrics;
  logger: Logger;
}

interface OfTurn {
  turnId: string;
  tenant: string;
  session: string;
  /** By /model: it answers, or nobody. */
  chosen: string | undefined;
  /** Of earlier attempts. */
  failedCalls: number;
}

/** The models of one turn, each with those that stand in for it (MO-3): agents.<id>.fallbacks, and the agent's own behind another one. */
export class TurnModels implements ModelResolver {
  private readonly failuresLeft: { count: number };
  private readonly failuresAllowed: number;

  constructor(
    private readonly parts: Parts,
    private readonly ofTurn: OfTurn,
  ) {
    const { agent } = parts;
    const keys = this.candidates([ofTurn.chosen ?? agent.model, ...this.standIns]).length;
    this.failuresAllowed = mostFailures(keys) - ofTurn.failedCalls;
    this.failuresLeft = { count: this.failuresAllowed };
  }

  /** Of this attempt. */
  get failedCalls(): number {
    return this.failuresAllowed - this.failuresLeft.count;
  }

  get mayGoOn(): boolean {
    return this.failuresLeft.count > 0;
  }

  resolve(name: string): { provider: ModelProvider; model: string } {
    const { config, calls, keys } = this.parts;
    const { model } = this.parts.models.resolve(name);
    const [first, ...others] = this.candidates([name, ...(name === this.ofTurn.chosen ? [] : this.standIns)]);
    if (!first) throw new TerminalError('model_not_found', `Nothing answers for ${name}`);
    const provider = new ModelChain([first, ...others], {
      health: calls.health,
      clock: systemClock,
      failuresLeft: this.failuresLeft,
      windowOf: (...of) => windowOf(...of, config.models.windows),
      used: (...candidate) => keys.used(...candidate),
      report: (event) => this.report(event),
    });
    return { provider, model };
  }

  private get standIns(): string[] {
    return [...this.parts.agent.fallbacks, this.parts.agent.model];
  }

  /** Every model once, under each of its keys; a name that this process does not know is left out. */
  private candidates(names: readonly string[]): Candidate[] {
    const { keys } = this.parts;
    const found = new Map<string, Candidate[]>();
    for (const name of names) {
      const model = this.find(name);
      const candidates = model ? this.under(model, keys.order(model)) : [];
      for (const first of candidates.slice(0, 1)) found.set(nameOf(first), found.get(nameOf(first)) ?? candidates);
    }
    return [...found.values()].flat();
  }

  private under({ model }: FoundModel, keys: readonly ModelProvider[]): Candidate[] {
    const { turnId: ticket, tenant } = this.ofTurn;
    const { calls, tools } = this.parts;
    return keys.map((key) => {
      const provider = calls.budgeted(key, { ticket, tenant });
      return { provider: tools ? new PolicedProvider(provider, tools) : provider, model };
    });
  }

  private find(name: string): FoundModel | undefined {
    try {
      return this.parts.models.resolve(name);
    } catch (error) {
      if (error instanceof TerminalError) return undefined;
      throw error;
    }
  }

  private report(event: FailoverEvent): void {
    const { metrics, logger } = this.parts;
    const { turnId, session, tenant } = this.ofTurn;
    const ofTurn = { turnId, session, tenant, model: event.model };
    if (event.kind === 'failed') {
      const { code, decision, error } = event;
      metrics.modelFailures.inc({ model: event.model, code, decision });
      // A key without room is no failure of anybody.
      const level = error instanceof NotNowError ? 'debug' : 'warn';
      logger[level]({ ...ofTurn, code, decision, error: describeError(error) }, 'A model call failed');
    } else {
      const { asked, failures, lostMs } = event;
      metrics.modelFailover.observe(lostMs / 1000);
      const level = failures > 0 ? 'info' : 'debug';
      logger[level]({ ...ofTurn, asked, failures, lostMs: Math.round(lostMs) }, 'Another model answered');
    }
  }
}

/** Of earlier attempts; an entry that does not say stands for one. */
export function failedCalls(journal: readonly JournalEntry[]): number {
  return journal.reduce((sum, entry) => sum + (entry.k === 'error' ? (entry.calls ?? 1) : 0), 0);
}
