import { costOf, millionths } from '#contracts';
import type { CancelReason, JournalEntry, OutboxRow, SettingsPatch, TurnEvent, TurnRecord } from '#contracts';
import { LeaseLostError, type MessageId, type SessionKey } from '#kernel';
import type { Claim, HandOver, NumberedRow } from '#lanes';
import { usageFields, USAGE_DAY_TTL_MS } from '#limits';
import { loadScript, type Keyspace, type RedisClient } from '#redis';

export interface Stepped {
  /** The turn that is to stop; another one does not heed it. */
  cancelled: string | undefined;
  why: CancelReason;
  /** The next message in the mailbox wants to join this turn, and may. */
  joins: boolean;
  /** Number of the outbox row, if there was one. */
  number: number;
  /** Redis time, ms. */
  at: number;
}

export interface Reset {
  /** How long the archived transcript is kept. */
  archiveTtlMs: number;
  /** Settings that change with the epoch; the others stay. */
  settings: SettingsPatch;
}

export interface Commit {
  turn: string;
  /** Every message that ends here. */
  ids: readonly MessageId[];
  /** undefined: the turn leaves nothing. */
  record: TurnRecord | undefined;
  /** Whose day what it spent is added to; absent: nobody's. */
  payer?: { tenant: string; agent: string } | undefined;
  /** Everything the turn still has to say, in order. */
  rows: readonly OutboxRow[];
  /** Where all rows go, if it shares the session's slot: then they are relayed by the same write, but for the wake-up. */
  handOver?: HandOver | undefined;
  /** The session is forgotten so long after this, ms; default: never. A park keeps it for as long as the park is kept. */
  keepMs?: number | undefined;
  /** Values of the session that this turn has set, as JSON; '' = removed. */
  state?: ReadonlyMap<string, string> | undefined;
  /** Written with the commit, when somebody watches. */
  lastEvent: TurnEvent | undefined;
}

/** What is kept of a turn that is to go on later, besides its journal. */
export interface ParkCommit {
  code: string;
  /** What the kept journal ends with, `parked` last. */
  entries: readonly JournalEntry[];
  /** How long it is kept, ms: well beyond its timeout. */
  keptMs: number;
}

/**
 * 32 ids: a message comes back only within moments (a twin, a relayed retry); its idempotency key covers the rest of its window.
 * A commit's own ids are always in it.
 */
const SEEN_TAGS = 32;
const SEEN_TTL_MS = 86_400_000;
/** A watcher that was away this long reads the transcript instead. */
export const EVENTS_TTL_MS = 600_000;

/** Of a session that nobody speaks in: an idle one keeps its transcript and its head (G7). */
const STATE_TTL_MS = 90 * 86_400_000;

const stepScript = loadScript(import.meta.dirname, 'step', 'time');
const commitScript = loadScript(import.meta.dirname, 'commit', 'time', 'ring');
const resumeScript = loadScript(import.meta.dirname, 'resume');
/** Sessions, for everybody else, changes settings by the same script. */
export const settingsScript = loadScript(import.meta.dirname, 'change-settings', 'settings');
const resetScript = loadScript(import.meta.dirname, 'reset', 'settings');
const emitScript = loadScript(import.meta.dirname, 'emit');

/** The state of one claimed session. Every write carries the fence; a refused one throws LeaseLostError. */
export class ClaimedSession {
  constructor(
    private readonly redis: RedisClient,
    private readonly keyspace: Keyspace,
    private readonly claim: Claim<SessionKey>,
  ) {}

  /** Appends to the journal of the open turn; `row` enters the outbox in the same write. Entries and row with `at: 0` get Redis time. */
  async step(entries: readonly JournalEntry[], row?: OutboxRow): Promise<Stepped> {
    const { key, fence } = this.claim;
    const k = this.keyspace;
    const keys = [k.head(key), k.journal(key), k.outbox(key), k.mailbox(key, 'wait'), k.mailbox(key, 'active')];
    const args = [fence, k.mailbox(key, ''), row ? JSON.stringify(row) : '', ...entries.map((entry) => JSON.stringify(entry))];
    const reply = await stepScript.run(this.redis, keys, args);
    const [answer, joins, cancelled, why, number, at] = reply as [string, number, string, CancelReason | '', number, number];
    if (answer === 'F') throw new LeaseLostError(key, 'step');
    return { joins: joins === 1, number, at, cancelled: cancelled || undefined, why: why || 'cancelled' };
  }

  /** Ends the turn. @returns `rows` as they were stored; none when it was committed before and only the reply was lost: then the next take has them. */
  async commit(commit: Commit): Promise<NumberedRow[]> {
    return (await this.end(commit, undefined)) ?? [];
  }

  /** Ends the turn for now. @returns undefined when a cancel is pending: nothing was written. */
  async park(commit: Commit, park: ParkCommit): Promise<NumberedRow[] | undefined> {
    return this.end(commit, park);
  }

  private async end(
    { turn, ids, record, payer, rows, handOver, keepMs, state, lastEvent }: Commit,
    park: ParkCommit | undefined,
  ): Promise<NumberedRow[] | undefined> {
    const { key, fence } = this.claim;
    const k = this.keyspace;
    const keys = [
      k.head(key),
      k.journal(key),
      k.transcript(key),
      k.outbox(key),
      k.seen(key),
      k.events(key),
      k.parked(key),
      k.usageDays(payer?.tenant ?? '', k.bucketOf(key)),
      k.state(key),
      ...(handOver?.keys ?? []),
    ];
    const event = lastEvent ? JSON.stringify(lastEvent) : '';
    const usage = payer ? usageFields(payer.agent, record?.spent ?? []) : [];
    const args = [
      fence,
      record ? JSON.stringify(record) : '',
      Math.max(SEEN_TAGS, ids.length),
      SEEN_TTL_MS,
      ids.join(','),
      turn,
      event,
      EVENTS_TTL_MS,
      handOver?.conversation ?? '',
      handOver?.receiptTtlMs ?? 0,
      record?.usage?.inputTokens ?? 0,
      record?.usage?.outputTokens ?? 0,
      park?.code ?? '',
      park?.entries.map((entry) => JSON.stringify(entry)).join('\n') ?? '',
      park?.keptMs ?? 0,
      millionths(costOf(record?.spent ?? [])),
      keepMs === undefined ? 0 : Math.max(keepMs, park?.keptMs ?? 0),
      state && state.size > 0 ? JSON.stringify(Object.fromEntries(state)) : '',
      STATE_TTL_MS,
      USAGE_DAY_TTL_MS,
      usage.length,
      ...usage,
    ];
    const reply = await commitScript.run(this.redis, keys, [...args, ...rows.map((row) => JSON.stringify(row))]);
    const [answer, now = 0, ...numbers] = reply as [string, ...number[]];
    if (answer === 'F') throw new LeaseLostError(key, 'commit');
    if (answer === 'C') return undefined;
    return numbers.map((number, index) => numbered(rows[index], number, now));
  }

  /** Goes on with a parked turn instead of the one its answer has opened. @returns its journal; undefined when nothing waits under this code. */
  async resume(code: string, resolved: Extract<JournalEntry, { k: 'resolved' }>): Promise<JournalEntry[] | undefined> {
    const { key, fence } = this.claim;
    const keys = [this.keyspace.head(key), this.keyspace.journal(key), this.keyspace.parked(key)];
    const reply = await resumeScript.run(this.redis, keys, [fence, code, JSON.stringify(resolved)]);
    const [answer, journal] = reply as [string, string[]];
    if (answer === 'F') throw new LeaseLostError(key, 'resume');
    return answer === 'N' ? undefined : journal.map((entry) => JSON.parse(entry) as JournalEntry);
  }

  /**
   * Begins a new epoch: what was said is archived, parked turns are given up, and the turn that is open is the first of the new one. Asked again in the
   * same turn, also by a later claim, it does nothing.
   */
  async reset({ archiveTtlMs, settings }: Reset): Promise<{ epoch: number; begun: boolean }> {
    const { key, fence } = this.claim;
    const k = this.keyspace;
    const keys = [k.head(key), k.journal(key), k.transcript(key), k.parked(key), k.state(key)];
    const reply = await resetScript.run(this.redis, keys, [fence, k.archivePrefix(key), archiveTtlMs, JSON.stringify(settings)]);
    const [answer, epoch, begun] = reply as [string, number, number];
    if (answer === 'F') throw new LeaseLostError(key, 'reset');
    return { epoch, begun: begun === 1 };
  }

  /** A value that an earlier turn has left, as JSON. */
  async state(name: string): Promise<string | undefined> {
    return (await this.redis.hget(this.keyspace.state(this.claim.key), name)) ?? undefined;
  }

  /** They apply from the next turn on. */
  async changeSettings(patch: SettingsPatch): Promise<void> {
    const { key, fence } = this.claim;
    const head = this.keyspace.head(key);
    const changed = await settingsScript.run(this.redis, [head, head], [JSON.stringify(patch), 0, fence]);
    if (changed === null) throw new LeaseLostError(key, 'settings');
  }

  /** Best effort, for whoever watches; a superseded claim emits nothing. */
  async emit(events: readonly TurnEvent[]): Promise<void> {
    const { key, fence } = this.claim;
    const keys = [this.keyspace.head(key), this.keyspace.events(key)];
    await emitScript.run(this.redis, keys, [fence, EVENTS_TTL_MS, ...events.map((event) => JSON.stringify(event))]);
  }
}

function numbered(row: OutboxRow | undefined, number: number, now: number): NumberedRow {
  if (!row) throw new Error(`commit.lua numbered a row that was not given (${number})`);
  return { number, row: row.at === 0 ? { ...row, at: now } : row };
}
