import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const PREFIX = 'turnpike_';
/** Seconds: from one Redis round trip to the longest wait worth telling apart. */
const FAST = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];

export interface BuildInfo {
  version: string;
  /** ingress, runner, dispatcher, standalone */
  app: string;
}

/**
 * Every metric, named once (OP-4). Base units; labels have few values and never hold a session, user or message id.
 * Each instance has a registry of its own, so several apps can live in one process.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly collectors: (() => void | Promise<void>)[] = [];

  readonly inboundMessages = this.counter(
    'inbound_messages_total',
    'Messages that came in; outcome: accepted, duplicate, ignored, refused, unavailable',
    ['channel', 'outcome'],
  );
  readonly inboundIgnored = this.counter('inbound_ignored_total', 'Messages that are not heard, and why', ['channel', 'reason']);
  readonly inboundDuplicates = this.counter('inbound_duplicates_total', 'Messages that had been accepted before');
  readonly acceptRetries = this.counter('accept_retries_total', 'Durable writes of the ingress that had to be repeated');
  readonly shed = this.counter('shed_total', 'Requests answered 503 because Redis was nearly full');
  readonly webhookDuration = this.histogram('webhook_duration_seconds', 'From a webhook to its answer', FAST);

  readonly turnsActive = this.gauge('turns_active', 'Turns this process runs now');
  readonly turnDuration = this.histogram('turn_duration_seconds', 'Length of a turn in the process that ended it', SLOW, [
    'outcome',
  ]);
  readonly turns = this.counter('turns_total', 'Turns that ended', ['outcome']);
  readonly parks = this.counter('parks_total', 'Turns that were parked to ask a person; kind: approval, question', ['kind']);
  readonly turnRecoveries = this.counter('turn_recoveries_total', 'Turns taken over from a process that died or stopped');
  readonly leaseLost = this.counter('lease_lost_total', 'Claims lost to another process', ['lane']);
  readonly steps = this.counter('step_total', 'Steps written to journals', ['kind']);
  readonly toolCalls = this.counter('tool_calls_total', 'Tool calls that ended', ['outcome']);
  readonly toolsAbandoned = this.counter('tools_abandoned_total', 'Tools that went on after their signal and their grace', [
    'tool',
  ]);
  readonly compactions = this.counter('compactions_total', 'Conversations that were summarised; outcome: done, failed', [
    'outcome',
  ]);
  readonly contextOverflows = this.counter('context_overflows_total', 'Requests that a model refused as longer than its window');
  readonly contextEngineFailures = this.counter(
    'context_engine_failures_total',
    'Calls of a context engine that failed and were made at the built-in one',
    ['operation'],
  );
  readonly hookFailures = this.counter('hook_failures_total', 'Hook handlers that threw or ran out of time', ['what']);
  readonly modelTokens = this.counter(
    'model_tokens_total',
    'Tokens as the providers count them; type: input, output, and as parts of these cache_read, cache_write, reasoning; tier: main, utility',
    ['type', 'tier'],
  );
  readonly modelCost = this.counter('model_cost_total', 'By models.prices, in their currency; tier: main, utility', ['tier']);
  readonly modelBudgetUsed = this.gauge(
    'model_budget_used_ratio',
    'Share of the allowance of a provider key that is used up, at the last call: at 1 calls are spread out',
    ['provider', 'model'],
  );
  readonly modelBudgetWaits = this.counter(
    'model_budget_waits_total',
    'Model calls that had no room; how: in_place (at most a quarter of a second), handed_back (the turn freed its slot)',
    ['provider', 'model', 'how'],
  );
  readonly modelPauses = this.counter('model_pauses_total', 'Answers 429, each of which pauses the key for all runners', [
    'provider',
    'model',
  ]);

  readonly modelFailures = this.counter(
    'model_failures_total',
    'Failed calls of models that others stand in for; decision: again (the same once more), next, end (nobody is left)',
    ['model', 'code', 'decision'],
  );
  readonly modelFailover = this.histogram(
    'model_failover_seconds',
    'From the first question to the one that was answered, where another model stood in',
    FAST,
  );

  readonly outboundMessages = this.counter('outbound_messages_total', 'Messages that reached their final state', [
    'channel',
    'mode',
    'outcome',
  ]);
  readonly outboundDelay = this.histogram('outbound_delay_seconds', 'From emission by the agent to delivery', SLOW);
  readonly possibleDuplicates = this.counter('possible_duplicates_total', 'Deliveries that a crash may have sent once before');

  readonly deliveryReports = this.counter(
    'delivery_reports_total',
    'What platforms reported of messages they had taken; state: sent, delivered, read, failed',
    ['channel', 'state'],
  );
  readonly deadLetters = this.counter('dead_letters_total', 'Messages that were given up', ['lane', 'reason']);
  readonly sweeperFound = this.counter('sweeper_found_total', 'Forgotten work the sweeper had to revive: should stay 0', [
    'what',
  ]);
  readonly laneBacklog = this.gauge('lane_backlog', 'Keys with work; state: waiting, active, delayed', ['lane', 'state']);
  readonly admissionRunning = this.gauge('admission_running', 'Slots in use, where there are limits');
  readonly admissionWaiting = this.gauge('admission_waiting', 'Sessions that wait for a slot or a rate');
  readonly laneOldestAge = this.gauge('lane_oldest_age_seconds', 'Age of the oldest work in the lane', ['lane']);

  constructor({ version, app }: BuildInfo) {
    this.gauge('build_info', 'Always 1; says what runs', ['version', 'app']).set({ version, app }, 1);
    collectDefaultMetrics({ prefix: PREFIX, register: this.registry });
  }

  /** Called before each scrape, to set gauges whose truth is in Redis. A failing collector leaves its gauges as they were. */
  onScrape(collect: () => void | Promise<void>): void {
    this.collectors.push(collect);
  }

  /** The exposition text of all metrics. */
  async text(): Promise<string> {
    await Promise.allSettled(this.collectors.map(async (collect) => collect()));
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private counter<T extends string = never>(name: string, help: string, labelNames: T[] = []): Counter<T> {
    return new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  private gauge<T extends string = never>(name: string, help: string, labelNames: T[] = []): Gauge<T> {
    return new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry] });
  }

  private histogram<T extends string = never>(name: string, help: string, buckets: number[], labelNames: T[] = []): Histogram<T> {
    return new Histogram({ name: PREFIX + name, help, buckets, labelNames, registers: [this.registry] });
  }
}
