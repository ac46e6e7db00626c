import type { Compaction, PastTurn } from '#agent';
import type { ChatMessage, ClientConversation, JournalEntry, TurnRecord } from '#contracts';
import { lastOfEachTurn } from '#sessions';

/** The conversation before a turn. */
export interface History {
  /** Stands for the turns before `turns`; '' when there is none. */
  summary: string;
  /** Oldest first. */
  turns: readonly PastTurn[];
  /** The newest summary there is. */
  compaction: Compaction | undefined;
  /** The summary, when the next turn would no longer find it among the records it reads: this turn's record takes it over. */
  carried: Compaction | undefined;
}

/**
 * @param most records a turn reads: agents.<id>.maxHistoryTurns
 * @param current the turn that reads: what it left when it was parked is in its journal
 */
export function historyOf(records: readonly TurnRecord[], most: number, current: string): History {
  const at = records.findLastIndex(({ compaction }) => compaction !== undefined);
  const compaction = records[at]?.compaction;
  const covered = compaction ? pastOf(records.slice(0, at + 1)).findLastIndex(({ turn }) => turn === compaction.upTo) + 1 : 0;
  return {
    summary: compaction?.summary ?? '',
    turns: lastOfEachTurn(pastOf(records).slice(covered))
      // Words to Turnpike and its own are no conversation.
      .filter(({ of, outcome }) => of !== current && outcome !== 'command')
      .map(({ turn, messages }) => ({ turn, messages })),
    compaction,
    carried: records.length + 1 - at > most ? compaction : undefined,
  };
}

/**
 * What a client said had been said before `turn`, cut into turns of their own: each has room or not, and a summary may end with any.
 */
export function clientTurns(turn: string, conversation: ClientConversation = []): PastTurn[] {
  const begins = conversation.flatMap(({ role }, i) =>
    i === 0 || (role === 'user' && conversation[i - 1]?.role !== 'user') ? [i] : [],
  );
  return begins.map((begin, n) => ({
    turn: `${turn}<${n}`,
    messages: conversation.slice(begin, begins[n + 1]).map(chatMessage),
  }));
}

function chatMessage({ role, text }: ClientConversation[number]): ChatMessage {
  return role === 'user' ? { role, text } : { role, text, toolCalls: [] };
}

/** `of` is the turn whose record it is from. */
function pastOf(records: readonly TurnRecord[]) {
  return records.flatMap(({ turn, outcome, conversation, messages }) =>
    [...clientTurns(turn, conversation), { turn, messages }].map((past) => ({ ...past, of: turn, outcome })),
  );
}

/** What was summarised before a turn was parked may have been summarised further meanwhile: it goes on under that summary. */
export function underNewestSummary(journal: readonly JournalEntry[], newest: Compaction | undefined): JournalEntry[] {
  const parkedAt = journal.findLastIndex(({ k }) => k === 'parked');
  return journal.map((entry, index) => (entry.k === 'compacted' && index < parkedAt ? { ...entry, ...newest } : entry));
}
