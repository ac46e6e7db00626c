import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { raceSignal } from '#kernel';
import { jobCountText, type JobCount } from './job-counts.js';
import { LabelBound } from './label-bound.js';
import { LabelledCounter, LabelledGauge, LabelledHistogram } from './labelled-metrics.js';

const PREFIX = 'turnpike_';
/** Seconds: from one Redis round trip to the longest wait worth telling apart. */
const FAST = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
/** Sums of prom-client that are called totals and are gauges, which promtool refuses; what they add up is there by type. */
const MISNAMED = ['active_handles_total', 'active_requests_total', 'active_resources_total'];
/** A scrape does not wait longer for what is in Redis; the usual time-out of Prometheus is 10 s. */
const COLLECT_TIMEOUT_MS = 2_000;

export interface BuildInfo {
  version: string;
  /** ingress, runner, dispatcher, standalone */
  app: string;
}

/**
 * Every metric, named once (OP-4); docs/metrics.md lists them, and a test compares. Base units; labels have few values, however
 * many names come in (LabelBound), and never hold a session, user or message id. Each instance has a registry of its own, so
 * several apps can live in one process.
 */
export class Metrics {
  readonly registry = new Registry();
  /** What Redis said last. */
  jobCounts: readonly JobCount[] = [];
  private readonly bound = new LabelBound();
  private readonly collectors: (() => void | Promise<void>)[] = [];

  readonly inboundMessages = this.counters(
    'inbound_messages_total',
    'Messages that came in; outcome: accepted, duplicate, ignored, refused, unavailable',
    ['channel', 'outcome'],
  );
  readonly inboundIgnored = this.counters('inbound_ignored_total', 'Messages that are not heard, and why', ['channel', 'reason']);
  readonly inboundDedup = this.counter('inbound_dedup_total', 'Messages that had been accepted before');
  readonly acceptRetries = this.counter('accept_retries_total', 'Durable writes of the ingress that had to be repeated');
  readonly shed = this.counter('shed_total', 'Requests answered 503 because Redis was nearly full');
  readonly webhookDuration = this.histograms(
    'webhook_duration_seconds',
    'From a webhook to its answer; status: 2xx, 4xx, 5xx',
    FAST,
    ['channel', 'status'],
  );
  readonly signatureFailures = this.counters(
    'webhook_signature_failures_total',
    'Webhooks that did not prove where they come from',
    ['channel'],
  );

  readonly sessionsReady = this.gauge(
    'sessions_ready',
    'Sessions of the whole fleet that have mail and wait for a runner, those that limits hold back included',
  );
  readonly laneBacklog = this.gauges(
    'lane_backlog',
    'Sessions or conversations of the whole fleet with work; state: waiting (more workers would take them), active, delayed',
    ['lane', 'state'],
  );
  readonly laneOldestAge = this.gauges(
    'lane_oldest_age_seconds',
    'Age of the oldest work of the whole fleet that nobody has taken up',
    ['lane'],
  );
  readonly queueWait = this.histograms(
    'queue_wait_seconds',
    'From the durable write to the claim, quiet windows included',
    SLOW,
    ['lane'],
  );
  readonly admissionRunning = this.gauge('admission_running', 'Slots in use, where there are limits');
  readonly admissionWaiting = this.gauge('admission_waiting', 'Sessions that wait for a slot or a rate');

  readonly turnsActive = this.gauge('turns_active', 'Turns this process runs now');
  readonly turnDuration = this.histograms('turn_duration_seconds', 'Length of a turn in the process that ended it', SLOW, [
    'agent',
    'outcome',
  ]);
  readonly parks = this.counters('parks_total', 'Turns that were parked to ask a person; kind: approval, question', ['kind']);
  readonly turnRecoveries = this.counters(
    'turn_recoveries_total',
    'Turns that go on after an earlier attempt; cause: crash (its process died or lost it), error (it failed and is tried again), handed_back (its process left, or the model had no room)',
    ['cause'],
  );
  readonly leaseLost = this.counters('session_lease_lost_total', 'Claims lost to another process', ['lane']);
  readonly steps = this.counters('step_total', 'Steps written to journals', ['kind']);
  readonly toolCalls = this.counters('tool_calls_total', 'Tool calls that ended; outcome: ok, error', ['tool', 'outcome']);
  readonly toolsAbandoned = this.counters('tools_abandoned_total', 'Tools that went on after their signal and their grace', [
    'tool',
  ]);
  readonly compactions = this.counters('compactions_total', 'Conversations that were summarised; outcome: done, failed', [
    'outcome',
  ]);
  readonly contextOverflows = this.counter('context_overflows_total', 'Requests that a model refused as longer than its window');
  readonly contextEngineFailures = this.counters(
    'context_engine_failures_total',
    'Calls of a context engine that failed and were made at the built-in one',
    ['operation'],
  );
  readonly hookFailures = this.counters('hook_failures_total', 'Hook handlers that threw or ran out of time', ['what']);

  readonly modelCalls = this.histograms(
    'model_call_duration_seconds',
    'From a question to the end of its answer; outcome: ok, limited (429), failed, aborted',
    SLOW,
    ['provider', 'model', 'outcome'],
  );
  readonly modelTokens = this.counters(
    'model_tokens_total',
    'Tokens as the providers count them; type: input, output, and as parts of these cache_read, cache_write, reasoning; tier: main, utility',
    ['provider', 'model', 'type', 'tier'],
  );
  readonly modelCost = this.counters('model_cost_total', 'By models.prices, in their currency; tier: main, utility', ['tier']);
  readonly modelBudgetUsed = this.gauges(
    'model_budget_used_ratio',
    'Share of the allowance of a provider key that is used up, at the last call: at 1 calls are spread out',
    ['provider', 'model'],
  );
  readonly modelBudgetWaits = this.counters(
    'model_budget_waits_total',
    'Model calls that had no room; how: in_place (at most a quarter of a second), handed_back (the turn freed its slot)',
    ['provider', 'model', 'how'],
  );
  readonly modelPauses = this.counters('model_pauses_total', 'Answers 429, each of which pauses the key for all runners', [
    'provider',
    'model',
  ]);
  readonly modelFailures = this.counters(
    'model_failures_total',
    'Failed calls of models that others stand in for; decision: again (the same once more), next, end (nobody is left)',
    ['model', 'code', 'decision'],
  );
  readonly modelFailover = this.histogram(
    'model_failover_seconds',
    'From the first question to the one that was answered, where another model stood in',
    FAST,
  );
  readonly rateLimitWait = this.histograms(
    'ratelimit_wait_seconds',
    'Waits that a rate asked for; scope: model, send (a rate of the account), platform (it answered 429)',
    SLOW,
    ['scope'],
  );

  readonly outboundMessages = this.counters('outbound_messages_total', 'Messages that reached their final state', [
    'channel',
    'kind',
    'outcome',
  ]);
  readonly outboundDelay = this.histogram('outbound_delay_seconds', 'From emission by the agent to delivery', SLOW);
  readonly outboundThrottled = this.counters(
    'outbound_throttled_total',
    'Sends that had to wait; scope: send (a rate of the account), or what the platform named when it answered 429',
    ['channel', 'scope'],
  );
  readonly possibleDuplicates = this.counter('possible_duplicates_total', 'Deliveries that a crash may have sent once before');
  readonly deliveryReports = this.counters(
    'delivery_reports_total',
    'What platforms reported of messages they had taken; state: sent, delivered, read, failed',
    ['channel', 'state'],
  );
  readonly deadLetters = this.counters('dead_letters_total', 'Messages that were given up; queue: turns, deliveries', [
    'queue',
    'reason',
  ]);
  readonly sweeperFound = this.counters('sweeper_found_total', 'Forgotten work the sweeper had to revive: should stay 0', [
    'what',
  ]);

  readonly redisMemoryUsed = this.gauge('redis_memory_used_ratio', 'Of maxmemory, of the fullest server; 0 where there is none');
  readonly redisMayEvict = this.gauge(
    'redis_may_evict',
    '1 when a server would throw keys away: maxmemory-policy must be noeviction',
  );
  readonly collectFailures = this.counter(
    'collect_failures_total',
    'Scrapes that could not ask Redis: its gauges stay as they were',
  );

  constructor({ version, app }: BuildInfo) {
    this.gauges('build_info', 'Always 1; says what runs', ['version', 'app']).set({ version, app }, 1);
    this.beginAlerts();
    collectDefaultMetrics({ prefix: PREFIX, register: this.registry });
    for (const name of MISNAMED) this.registry.removeSingleMetric(`${PREFIX}nodejs_${name}`);
  }

  /** Called before each scrape, to set gauges whose truth is in Redis. A failing or slow collector leaves its gauges as they were. */
  onScrape(collect: () => void | Promise<void>): void {
    this.collectors.push(collect);
  }

  /** The exposition text of all metrics. */
  async text(): Promise<string> {
    await Promise.all(this.collectors.map(async (collect) => this.collected(collect)));
    return (await this.registry.metrics()) + jobCountText(this.jobCounts);
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** What alerts watch for its first event. */
  private beginAlerts(): void {
    this.deadLetters.begin(...['crashed', 'unreadable'].map((reason) => ({ queue: 'turns', reason })));
    this.deadLetters.begin(...['dead', 'unknown', 'failed'].map((reason) => ({ queue: 'deliveries', reason })));
    this.leaseLost.begin({ lane: 'turns' }, { lane: 'deliveries' });
    this.turnRecoveries.begin({ cause: 'crash' }, { cause: 'error' }, { cause: 'handed_back' });
    this.sweeperFound.begin({ what: 'mail' }, { what: 'rows' });
  }

  private async collected(collect: () => void | Promise<void>): Promise<void> {
    try {
      await raceSignal((async () => collect())(), AbortSignal.timeout(COLLECT_TIMEOUT_MS));
    } catch {
      this.collectFailures.inc();
    }
  }

  private counter(name: string, help: string): Counter {
    return new Counter({ name: PREFIX + name, help, registers: [this.registry] });
  }

  private counters<T extends string>(name: string, help: string, labelNames: T[]): LabelledCounter<T> {
    return new LabelledCounter(new Counter({ name: PREFIX + name, help, labelNames, registers: [this.registry] }), this.bound);
  }

  private gauge(name: string, help: string): Gauge {
    return new Gauge({ name: PREFIX + name, help, registers: [this.registry] });
  }

  private gauges<T extends string>(name: string, help: string, labelNames: T[]): LabelledGauge<T> {
    return new LabelledGauge(new Gauge({ name: PREFIX + name, help, labelNames, registers: [this.registry] }), this.bound);
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: PREFIX + name, help, buckets, registers: [this.registry] });
  }

  private histograms<T extends string>(name: string, help: string, buckets: number[], labelNames: T[]): LabelledHistogram<T> {
    const histogram = new Histogram({ name: PREFIX + name, help, buckets, labelNames, registers: [this.registry] });
    return new LabelledHistogram(histogram, this.bound);
  }
}
