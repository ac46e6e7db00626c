export interface Percentiles {
  p50: number;
  p99: number;
}

export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
