import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { ModelProvider, ModelRequest } from '#agent';
import { delay, describeError, NotNowError, systemClock } from '#kernel';
import type { BudgetLimits, BudgetName, CallEnd, ModelBudgets, ModelHealth } from '#limits';
import { SeeingProvider, type CandidateHealth, type Sight } from '#models';
import { tracing, type Logger, type Metrics } from '#telemetry';
import { BudgetedProvider, type BudgetedCall } from './budgeted-provider.js';
import { SharedHealth } from './shared-health.js';
import { TokenExpectation } from './token-expectation.js';
import { TracedProvider } from './traced-provider.js';

/** Longer waits free the slot of the turn; handing back and coming again costs more than this. */
const IN_PLACE_MS = 250;

/** In whose name a model is called. */
export interface Caller {
  /** The turn: it asks for one thing at a time, and keeps its place in line whichever runner has it. */
  ticket: string;
  tenant: string;
}

/** A call that is about to be made. */
interface Asked {
  name: BudgetName;
  limits: BudgetLimits;
  labels: { provider: string; model: string };
  tokens: number;
}

/** The model calls of this process, each within the budget all runners share (QU-5). No limits known, no round trip. */
export class ModelCalls implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly health: CandidateHealth;
  private readonly expectations = new Map<string, TokenExpectation>();

  /** @param limitsOf what is configured now */
  constructor(
    private readonly budgets: ModelBudgets,
    readonly models: ModelHealth,
    private readonly limitsOf: (provider: string, model: string) => BudgetLimits,
    private readonly sight: Sight,
    private readonly metrics: Metrics,
    private readonly logger: Logger,
  ) {
    this.health = new SharedHealth(models, logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([this.budgets.start(), this.models.start()]);
  }

  onApplicationShutdown(): void {
    this.budgets.stop();
    this.models.stop();
  }

  /** The same provider, within its budgets, and shown what images there are: a call may also throw NotNowError. */
  budgeted(provider: ModelProvider, caller: Caller): ModelProvider {
    const { account } = provider;
    const traced = tracing().on ? new TracedProvider(provider) : provider;
    if (account === undefined) return traced;
    const seeing = new SeeingProvider(traced, this.sight);
    return new BudgetedProvider(seeing, (...call) => this.open({ account, provider, caller }, ...call));
  }

  private async open(
    { account, provider, caller }: { account: string; provider: ModelProvider; caller: Caller },
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<BudgetedCall> {
    const { model } = request;
    const name = { account, model };
    const limits = this.limitsOf(provider.id, model);
    const expectation = this.expectationOf(name);
    const asked = { name, limits, labels: { provider: provider.id, model }, tokens: expectation.of(request) };
    const limited = limits.requestsPerMinute > 0 || limits.tokensPerMinute > 0 || this.budgets.isKnown(name);
    const reservation = limited ? await this.reserve(asked, caller, signal) : undefined;
    let tokensUsed: number | undefined;
    const began = systemClock.monotonic();
    return {
      used: (input, output) => {
        tokensUsed = input + output;
        expectation.learn(request, input, output);
      },
      end: (how) => {
        const outcome = signal.aborted ? 'aborted' : how.outcome;
        this.metrics.modelCalls.observe({ ...asked.labels, outcome }, (systemClock.monotonic() - began) / 1000);
        this.settle(asked, { reservation, tokensUsed, ...how });
      },
    };
  }

  private async reserve({ name, limits, labels, tokens }: Asked, caller: Caller, signal: AbortSignal): Promise<string> {
    for (let left = IN_PLACE_MS; ;) {
      const answer = await this.budgets.reserve(name, limits, { ...caller, tokens });
      this.metrics.modelBudgetUsed.set(labels, answer.usedShare);
      if (answer.kind === 'reserved') return answer.reservation;
      const how = answer.ms <= left ? 'in_place' : 'handed_back';
      this.metrics.modelBudgetWaits.inc({ ...labels, how });
      this.metrics.rateLimitWait.observe({ scope: 'model' }, answer.ms / 1000);
      if (how === 'handed_back') throw new NotNowError(answer.ms, `${labels.provider}/${labels.model}`);
      await delay(answer.ms, signal);
      left -= answer.ms;
    }
  }

  /** The answer does not wait for it. What is lost with Redis stays counted as spent. */
  private settle({ name, limits, labels }: Asked, end: CallEnd): void {
    if (end.outcome === 'limited') this.metrics.modelPauses.inc(labels);
    else if (end.reservation === undefined && end.said === undefined) return;
    this.budgets.settle(name, limits, end).catch((error: unknown) => {
      this.logger.debug({ error: describeError(error), ...labels }, 'A model call was not settled: it stays counted as reserved');
    });
  }

  private expectationOf({ account, model }: BudgetName): TokenExpectation {
    const key = `${account}:${model}`;
    const known = this.expectations.get(key) ?? new TokenExpectation();
    this.expectations.set(key, known);
    return known;
  }
}
