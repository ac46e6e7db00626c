import type { Compaction, PastTurn } from '#agent';
import type { TurnRecord } from '#contracts';

/** The conversation before a turn. */
export interface History {
  /** Stands for the turns before `turns`; '' when there is none. */
  summary: string;
  /** Oldest first. */
  turns: readonly PastTurn[];
  /** The summary, when the next turn would no longer find it among the records it reads: this turn's record takes it over. */
  carried: Compaction | undefined;
}

/** @param most records a turn reads: agents.<id>.maxHistoryTurns */
export function historyOf(records: readonly TurnRecord[], most: number): History {
  const at = records.findLastIndex(({ compaction }) => compaction !== undefined);
  const compaction = records[at]?.compaction;
  const covered = compaction ? records.findIndex(({ turn }) => turn === compaction.upTo) + 1 : 0;
  return {
    summary: compaction?.summary ?? '',
    turns: records.slice(covered).map(({ turn, messages }) => ({ turn, messages })),
    carried: records.length + 1 - at > most ? compaction : undefined,
  };
}
