import { randomUUID } from 'node:crypto';
import { loadScript, type Keyspace, type RedisClient } from '#redis';
import { EverySecond } from './every-second.js';

/** One model under one provider key: what providers count limits by. */
export interface BudgetName {
  /** Stands for provider and API key; a hash, never the key. */
  account: string;
  model: string;
}

/** Per window; 0 = as the provider says. */
export interface BudgetLimits {
  requestsPerMinute: number;
  tokensPerMinute: number;
}

/** Who asks, and for how much. */
export interface BudgetRequest {
  /** Keeps the place in line: the same in each try. Its owner asks for one thing at a time. */
  ticket: string;
  /** Tenants that wait get equal shares. */
  tenant: string;
  /** Expected, in and out. */
  tokens: number;
}

export type Reserved =
  { kind: 'reserved'; reservation: string; usedShare: number } | { kind: 'wait'; ms: number; usedShare: number };

/** How a call ended, for the budget. */
export interface CallEnd {
  /** undefined when the budget was not known before the call. */
  reservation: string | undefined;
  /** As the provider counted them; without them what was reserved counts. */
  tokensUsed: number | undefined;
  outcome: 'ok' | 'limited' | 'failed';
  /** With `limited`, ms; without it the pause doubles from 1 s to 1 min. */
  retryAfterMs: number | undefined;
  /** What the provider said of its limits, and how many ms ago. */
  said: ({ requests: SaidLimit; tokens: SaidLimit } & { ageMs: number }) | undefined;
}

interface SaidLimit {
  limit?: number | undefined;
  remaining?: number | undefined;
}

const WINDOW_MS = 60_000;

const script = loadScript(import.meta.dirname, 'model-budget', 'time');

/** Requests and tokens per minute of every provider key and model, shared by all runners on Redis time (QU-5, G6). */
export class ModelBudgets {
  #known: ReadonlySet<string> = new Set();
  readonly #poll = new EverySecond(() => this.#refresh());

  /** @param windowMs what providers call a minute; tests make it shorter */
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** Follows which budgets there are, until `stop`. */
  async start(): Promise<void> {
    await this.#poll.start();
  }

  stop(): void {
    this.#poll.stop();
  }

  /** Whether there is anything to ask for: limits or a pause were learned, here or elsewhere. No round trip. */
  isKnown(name: BudgetName): boolean {
    return this.#known.has(idOf(name));
  }

  /** Takes room for one call from both buckets together, or a place in line. `ms` says when it is worth asking again. */
  async reserve(name: BudgetName, limits: BudgetLimits, { ticket, tenant, tokens }: BudgetRequest): Promise<Reserved> {
    const reservation = randomUUID();
    const [ms, perMille] = await this.#run('reserve', name, limits, [reservation, ticket, tenant, tokens]);
    const usedShare = perMille / 1000;
    return ms > 0 ? { kind: 'wait', ms, usedShare } : { kind: 'reserved', reservation, usedShare };
  }

  /** Counts what a call really used, once, and learns what the provider said. */
  async settle(name: BudgetName, limits: BudgetLimits, end: CallEnd): Promise<void> {
    const { reservation = '', tokensUsed = '', said, outcome, retryAfterMs } = end;
    const { requests, tokens, ageMs = 0 } = said ?? {};
    const heard = [requests?.limit, requests?.remaining, tokens?.limit, tokens?.remaining].map((value) => value ?? '');
    const wait = retryAfterMs === undefined ? '' : Math.ceil(retryAfterMs);
    await this.#run('settle', name, limits, [reservation, tokensUsed, ...heard, Math.round(ageMs), outcome, wait]);
    if (said || outcome === 'limited') this.#known = new Set([...this.#known, idOf(name)]);
  }

  async #run(
    operation: 'reserve' | 'settle',
    name: BudgetName,
    { requestsPerMinute, tokensPerMinute }: BudgetLimits,
    args: readonly (string | number)[],
  ): Promise<[ms: number, perMille: number]> {
    const id = idOf(name);
    const own = ['', ':line', ':due', ':tickets', ':tenants'].map((part) => this.keyspace.limits(`model:${id}${part}`));
    const common = [operation, id, this.windowMs, requestsPerMinute, tokensPerMinute];
    return (await script.run(this.redis, [...own, this.#knownKey], [...common, ...args])) as [number, number];
  }

  async #refresh(): Promise<void> {
    this.#known = new Set(await this.redis.zrange(this.#knownKey, '0', '-1'));
  }

  get #knownKey(): string {
    return this.keyspace.limits('models');
  }
}

function idOf({ account, model }: BudgetName): string {
  return `${account}:${model}`;
}
