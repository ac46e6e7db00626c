import { once } from 'node:events';
import type { ModelEvent, ModelProvider, ModelRequest } from '#agent';
import { delay, NotNowError, TransientError } from '#kernel';
import { ModelBudgets, ModelHealth } from '#limits';
import { connect, Keyspace } from '#redis';
import { createLogger, Metrics } from '#telemetry';
import { BLIND } from './fakes/blind.js';
import { ModelCalls } from '../apps/runner/model-calls.service.js';

/** A provider's hard limits: it refuses whatever is over them in any window, wherever that begins. */
export interface HardLimits {
  requests: number;
  tokens: number;
  /** What it calls a minute, ms. */
  windowMs: number;
}

interface JudgedCall {
  tenant: string;
  at: number;
  tokens: number;
  /** From the wish to the call, ms. */
  waited: number;
}

/** The wire is left out: how long a request travels does not shrink with the window. */
class HardProvider implements ModelProvider {
  readonly id = 'openai';
  readonly account = 'shared';
  readonly calls: JudgedCall[] = [];
  refused = 0;

  constructor(private readonly hard: HardLimits) {}

  async *stream({ messages: [message] }: ModelRequest): AsyncGenerator<ModelEvent> {
    const [tenant = '', wished = '', size = ''] = message?.text.split(' ') ?? [];
    const at = performance.now();
    const tokens = Number(size);
    const recent = this.calls.filter((call) => call.at > at - this.hard.windowMs);
    const requestsLeft = this.hard.requests - recent.length - 1;
    const tokensLeft = this.hard.tokens - recent.reduce((sum, call) => sum + call.tokens, tokens);
    if (requestsLeft < 0 || tokensLeft < 0) {
      this.refused += 1;
      throw new TransientError('rate_limit', 'too much', 100);
    }
    this.calls.push({ tenant, at, tokens, waited: at - Number(wished) });
    yield {
      type: 'limits',
      requests: { limit: this.hard.requests, remaining: requestsLeft },
      tokens: { limit: this.hard.tokens, remaining: tokensLeft },
    };
    yield { type: 'usage', usage: { inputTokens: tokens - 1, outputTokens: 1 } };
    yield { type: 'stop', reason: 'stop' };
  }
}

/** Runners that share one provider key, each with a connection and a limiter of its own. */
export class BudgetWorld implements Disposable {
  private turns = 0;

  private constructor(
    readonly provider: HardProvider,
    private readonly runners: readonly ModelCalls[],
    private readonly close: () => void,
  ) {}

  static async start(redisUrl: string, hard: HardLimits, count: number): Promise<BudgetWorld> {
    const limits = { requestsPerMinute: hard.requests, tokensPerMinute: hard.tokens };
    const keyspace = new Keyspace(1, `budget-world-${process.pid}:`);
    const { logger } = createLogger({ level: 'silent', name: 'budget' });
    const connections = Array.from({ length: count }, () => connect(redisUrl, 'worker'));
    await Promise.all(connections.map((redis) => once(redis, 'ready')));
    const runners = connections.map((redis) => {
      const budgets = new ModelBudgets(redis, keyspace, hard.windowMs);
      return new ModelCalls(
        budgets,
        new ModelHealth(redis, keyspace),
        () => limits,
        BLIND,
        new Metrics({ version: '0', app: 'runner' }),
        logger,
      );
    });
    return new BudgetWorld(new HardProvider(hard), runners, () => connections.forEach((redis) => redis.disconnect()));
  }

  /** A turn of one call, as the product runs it: without room it is put aside and comes back at its time, on any runner. */
  async turn(tenant: string, tokens: number, signal: AbortSignal): Promise<void> {
    const ticket = `${tenant}-${++this.turns}`;
    const text = `${tenant} ${performance.now()} ${tokens} ${'x'.repeat(4 * tokens)}`;
    const request: ModelRequest = { model: 'm', system: '', messages: [{ role: 'user', text }], tools: [] };
    for (let n = this.turns; ; n++) {
      const runner = this.runners[n % this.runners.length];
      if (!runner) throw new Error('A world needs runners');
      try {
        const provider = runner.budgeted(this.provider, { ticket, tenant });
        for await (const event of provider.stream(request, signal)) if (event.type === 'stop') return;
      } catch (error) {
        if (error instanceof NotNowError) await delay(error.afterMs, signal);
        else if (error instanceof TransientError) await delay(error.retryAfterMs ?? 0, signal);
        else throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
