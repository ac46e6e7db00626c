import type { TurnRecord } from '#contracts';

/** A turn that was parked left a record for each stretch: the last one stands, at its place, for all of them. */
export function lastOfEachTurn(records: readonly TurnRecord[]): TurnRecord[] {
  const last = new Map(records.map((record) => [record.turn, record]));
  return records.filter((record) => last.get(record.turn) === record);
}
