/** One line of what a process says of itself at /metrics. */
export interface Series {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** The lines of a metric (of a histogram: of its buckets, sum or count, as named); of all of them without a name. */
export function seriesOf(text: string, name?: string): Series[] {
  return text
    .split('\n')
    .map((line) => /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line))
    .flatMap((found) => (found ? [{ name: found[1] ?? '', labels: labelsOf(found[2] ?? ''), value: Number(found[3]) }] : []))
    .filter((series) => name === undefined || series.name === name);
}

/** Of all series that have these labels. */
export function sumOf(text: string, name: string, labels: Record<string, string> = {}): number {
  return seriesOf(text, name)
    .filter((series) => Object.entries(labels).every(([label, value]) => series.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]));
}
