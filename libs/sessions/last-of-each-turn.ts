/** A turn that was parked left a record for each stretch: the last one stands, at its place, for all of them. */
export function lastOfEachTurn<T extends { turn: string }>(records: readonly T[]): T[] {
  const last = new Map(records.map((record) => [record.turn, record]));
  return records.filter((record) => last.get(record.turn) === record);
}
