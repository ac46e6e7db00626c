/** Whether a Redis Stream id (`<ms>-<n>`) lies behind another one. */
export function isBehind(id: string, other: string): boolean {
  const [ms, n] = numbersOf(id);
  const [otherMs, otherN] = numbersOf(other);
  return ms === otherMs ? n > otherN : ms > otherMs;
}

function numbersOf(id: string): [number, number] {
  const [ms, n] = id.split('-');
  return [Number(ms), Number(n ?? 0)];
}
