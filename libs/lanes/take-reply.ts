import type { CancelReason, JournalEntry, OutboxRow, SessionSettings, TurnRecord } from '#contracts';
import type { MessageId } from '#kernel';

export interface TakenMessage {
  id: MessageId;
  /** seen: ended before, to be acknowledged and skipped. cancelled: while it waited. dead: crashed its process too often. */
  flag: 'live' | 'seen' | 'cancelled' | 'dead';
  /** The envelope as JSON; empty when the job is gone. */
  data: string;
  /** Accept sequence. */
  seq: number;
  crashes: number;
  /** Popped by this take; otherwise it was in flight already. */
  fresh: boolean;
  /** Redis time, ms; undefined for one that was stored by hand. */
  acceptedAt: number | undefined;
}

/** An outbox row and its number in the outbox of its session; 0 for one that was never in it. */
export interface NumberedRow {
  number: number;
  row: OutboxRow;
}

export interface TakenTurn {
  kind: 'turn';
  journal: JournalEntry[];
  /** Outbox rows that are not relayed yet: they leave before anything new does. */
  rows: NumberedRow[];
  messages: TakenMessage[];
  /** Last turns of the transcript, as asked for. */
  history: TurnRecord[];
  /** The running turn that was told to stop; another one does not heed it (protocol 3). */
  cancelled: string | undefined;
  why: CancelReason;
  settings: SessionSettings;
  /** When the epoch of the session had its first and its last commit, Redis time, ms. */
  epoch: { began: number | undefined; last: number | undefined };
  /** Of the tool catalog; 0 = nothing was ever changed. */
  catalogVersion: number;
  /** Redis time of the take, ms. */
  now: number;
}

export type Take =
  | TakenTurn
  /** A newer claim owns the session. */
  | { kind: 'superseded' }
  /** The activation counter went back: raise it above this fence and claim again. */
  | { kind: 'rolledBack'; fence: string }
  | { kind: 'tooEarly'; ms: number; why: string }
  /** Empty: the session is idle, its queue is gone. */
  | { kind: 'released' }
  /** Nothing to do, and not empty: another step of this claim has to end first. */
  | { kind: 'busy' }
  | { kind: 'rows'; rows: NumberedRow[] };

const FLAGS: Record<string, TakenMessage['flag']> = { '': 'live', S: 'seen', X: 'cancelled', D: 'dead' };

/** The reply of take.lua. Everything in it was written by our own fenced scripts, so it is decoded, not validated. */
export function parseTake(reply: unknown): Take {
  const [kind, ...rest] = reply as [string, ...unknown[]];
  switch (kind) {
    case 'F':
      return { kind: 'superseded' };
    case 'R':
      return { kind: 'rolledBack', fence: String(rest[0]) };
    case 'N':
      return { kind: 'tooEarly', ms: Number(rest[0]), why: String(rest[1]) };
    case 'E':
      return { kind: 'released' };
    case 'K':
      return { kind: 'busy' };
    case 'O':
      return { kind: 'rows', rows: parseRows(rest[0] as string[]) };
    case 'M':
      return parseTurn(
        rest as [string[], string[], MessageTuple[], string[], string, CancelReason | '', string, string, string, string, number],
      );
    default:
      throw new Error(`take.lua answered ${JSON.stringify(reply)}`);
  }
}

type MessageTuple = [id: string, flag: string, data: string, seq: string, crashes: string, fresh: number, at: string];

function parseTurn([journal, rows, messages, history, cancelled, why, settings, began, last, catalog, now]: [
  string[],
  string[],
  MessageTuple[],
  string[],
  string,
  CancelReason | '',
  string,
  string,
  string,
  string,
  number,
]): TakenTurn {
  return {
    kind: 'turn',
    journal: journal.map((entry) => JSON.parse(entry) as JournalEntry),
    rows: parseRows(rows),
    messages: messages.map(([id, flag, data, seq, crashes, fresh, at]) => ({
      id: id as MessageId,
      flag: FLAGS[flag] ?? 'live',
      data,
      seq: Number(seq),
      crashes: Number(crashes),
      fresh: fresh === 1,
      acceptedAt: numberOf(at),
    })),
    history: history.map((record) => JSON.parse(record) as TurnRecord),
    cancelled: cancelled || undefined,
    why: why || 'cancelled',
    settings: JSON.parse(settings || '{}') as SessionSettings,
    epoch: { began: numberOf(began), last: numberOf(last) },
    catalogVersion: Number(catalog),
    now,
  };
}

function numberOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

function parseRows(flat: string[]): NumberedRow[] {
  const rows: NumberedRow[] = [];
  for (let index = 0; index < flat.length; index += 2) {
    rows.push({ row: JSON.parse(flat[index] ?? '') as OutboxRow, number: Number(flat[index + 1]) });
  }
  return rows;
}
