import type { OutboxRow } from '#contracts';
import type { Config } from '#config';
import type { ConversationKey, TenantId } from '#kernel';
import {
  Admission,
  AdmissionScript,
  Backlog,
  BusySessions,
  CatalogVersion,
  claimBuckets,
  DeadLetters,
  FleetLimits,
  GuardedMulti,
  Lane,
  Relay,
  SessionMailboxes,
  SparePermits,
  Sweeper,
  Timers,
} from '#lanes';
import { connect, Keyspace, RedisMemory, Replication, Subscriptions, untilReady, type RedisClient } from '#redis';
import { conversationKey } from '#routing';
import { EventLog, Parks, Receipts, ReplyWindows, SentRows, Sessions, ToolResults } from '#sessions';
import type { Logger } from '#telemetry';

/** Receipts outlive the age at which a delivery is given up, so a row relayed twice is always recognised. */
const RECEIPT_AGES = 2;
const START_TIMEOUT_MS = 10_000;

/**
 * One process's whole hold on Redis: four connections (a fifth at durability `replicated`), whatever the number of sessions, and everything built on them.
 * Opened once per process; in standalone the three apps share it.
 */
export class Platform {
  readonly keyspace: Keyspace;
  /** Waits for Redis for ever: runner and dispatcher. */
  readonly work: RedisClient;
  /** Fails at once while Redis is away: whatever somebody waits for. */
  readonly request: RedisClient;
  readonly subscriptions: Subscriptions;
  readonly memory: RedisMemory;
  readonly turns: Lane;
  readonly deliveries: Lane;
  readonly multi: GuardedMulti;
  readonly mailboxes: SessionMailboxes;
  readonly relay: Relay;
  readonly sparePermits: SparePermits;
  readonly admission: Admission;
  readonly limits: FleetLimits;
  readonly catalog: CatalogVersion;
  readonly sweeper: Sweeper;
  readonly busy: BusySessions;
  readonly backlog: Backlog;
  readonly deadLetters: DeadLetters;
  readonly timers: Timers;
  readonly sessions: Sessions;
  readonly parks: Parks;
  readonly events: EventLog;
  readonly receipts: Receipts;
  readonly replyWindows: ReplyWindows;
  readonly sentRows: SentRows;
  readonly toolResults: ToolResults;
  readonly receiptTtlMs: number;
  private readonly connections: RedisClient[];

  private constructor(config: Config, logger: Logger) {
    const { url, buckets, commandTimeoutMs, shedAtMemoryRatio, durability, replicaTimeoutMs } = config.redis;
    const onError = quietly(logger);
    this.work = connect(url, 'worker', onError);
    this.request = connect(url, 'request', onError);
    const multi = connect(url, 'multi', onError);
    const subscriber = connect(url, 'subscriber', onError);
    this.connections = [this.work, this.request, multi, subscriber];
    this.keyspace = new Keyspace(buckets);
    const replication =
      durability === 'replicated' ? this.replication(connect(url, 'request', onError), replicaTimeoutMs) : undefined;
    this.subscriptions = new Subscriptions(subscriber);
    this.memory = new RedisMemory(this.request, shedAtMemoryRatio);
    this.turns = new Lane('turns', this.work, this.keyspace);
    this.deliveries = new Lane('deliveries', this.work, this.keyspace);
    this.multi = new GuardedMulti(multi, commandTimeoutMs);
    this.receiptTtlMs = RECEIPT_AGES * config.lanes.deliveries.maxAgeMs;
    const mailboxSettings = { crashesAllowed: config.lanes.crashesAllowed };
    this.mailboxes = new SessionMailboxes(this.work, this.turns, this.multi, this.keyspace, mailboxSettings, replication);
    this.relay = new Relay(this.work, this.deliveries, this.multi, this.keyspace, conversationOf, this.receiptTtlMs);
    this.sparePermits = new SparePermits(this.work, this.keyspace);
    const admission = new AdmissionScript(this.work, this.turns, this.keyspace);
    this.admission = new Admission(this.work, this.keyspace, admission);
    this.limits = new FleetLimits(this.work, this.turns, this.keyspace, admission);
    this.catalog = new CatalogVersion(this.request, this.keyspace);
    this.sweeper = new Sweeper(this.work, this.turns, this.deliveries, this.relay, this.admission, this.keyspace, conversationOf);
    this.busy = new BusySessions(this.request, this.turns, this.keyspace);
    const letterTimes = { keepMs: config.lanes.deliveries.deadLettersKeptMs, receiptTtlMs: this.receiptTtlMs };
    this.deadLetters = new DeadLetters(this.work, this.deliveries, this.multi, this.keyspace, conversationOf, letterTimes);
    this.timers = new Timers(this.work, this.keyspace);
    this.backlog = new Backlog(this.request, this.keyspace, this.limits, {
      turns: this.turns.activationQueues,
      deliveries: this.deliveries.activationQueues,
      timers: this.timers.all,
      'dead-deliveries': this.deadLetters.board,
    });
    this.sessions = new Sessions(this.request, this.mailboxes, this.turns, this.keyspace);
    this.parks = new Parks(this.request, this.keyspace);
    this.events = new EventLog(this.request, this.subscriptions, this.keyspace);
    this.toolResults = new ToolResults(this.request, this.keyspace, this.memory);
    this.receipts = new Receipts(this.work, this.subscriptions, this.keyspace, conversationOf);
    this.replyWindows = new ReplyWindows(this.work, this.keyspace);
    this.sentRows = new SentRows(this.work, this.keyspace, this.receiptTtlMs);
  }

  private replication(redis: RedisClient, timeoutMs: number): Replication {
    this.connections.push(redis);
    return new Replication(redis, this.keyspace, timeoutMs);
  }

  /** Throws when Redis is not there within 10 s, TerminalError when it belongs to another layout. */
  static async open(config: Config, logger: Logger): Promise<Platform> {
    const platform = new Platform(config, logger);
    try {
      await Promise.all(platform.connections.map((redis) => untilReady(redis, START_TIMEOUT_MS)));
      await claimBuckets(platform.work, platform.keyspace);
      await Promise.all([platform.turns.ready(), platform.deliveries.ready(), platform.multi.ready(), platform.receipts.start()]);
      platform.memory.start();
    } catch (error) {
      await platform.close();
      throw error;
    }
    return platform;
  }

  /** Readiness: throws when Redis does not answer, refuses writes, or events cannot be heard. */
  async check(): Promise<void> {
    await this.request.set(this.keyspace.limits('writable'), 1, 'PX', 1000);
    if (!(await this.subscriptions.alive()))
      throw new Error('the event subscription hears nothing from Redis; it reconnects by itself');
  }

  async close(): Promise<void> {
    this.memory.stop();
    this.admission.stop();
    await Promise.all([this.turns.close(), this.deliveries.close(), this.deadLetters.close(), this.timers.close()]);
    for (const redis of this.connections) redis.disconnect();
  }
}

/** Where the deliveries of a row keep their order. */
export function conversationOf(row: OutboxRow): ConversationKey {
  return conversationKey(row.tenant as TenantId, row.target);
}

/** Connections report every failed retry; one line a while is enough. */
function quietly(logger: Logger): (error: Error) => void {
  let last = 0;
  return (error) => {
    if (Date.now() - last < START_TIMEOUT_MS) return;
    last = Date.now();
    logger.warn({ error: error.message }, 'Redis connection failed; trying again');
  };
}
