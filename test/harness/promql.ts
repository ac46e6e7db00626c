import { Metrics } from '#telemetry';

/** A metric as a query asks for it. */
interface AskedMetric {
  name: string;
  /** In its braces. */
  labels: string[];
}

/** Name in a query -> labels it may be asked for. */
function knownMetrics(): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>([['bullmq_job_count', new Set(['queue', 'state'])]]);
  for (const metric of new Metrics({ version: '1', app: 'test' }).registry.getMetricsAsArray()) {
    const labels = new Set<string>('labelNames' in metric ? (metric.labelNames as string[]) : []);
    const isHistogram = metric.constructor.name === 'Histogram';
    for (const suffix of isHistogram ? ['_bucket', '_sum', '_count'] : ['']) known.set(metric.name + suffix, labels);
  }
  return known;
}

export const METRICS: ReadonlyMap<string, ReadonlySet<string>> = knownMetrics();
/** What Prometheus adds itself. */
const ADDED = new Set(['instance', 'job', 'pod', 'le']);

/** What a query names and no process of Turnpike has: metrics, and labels in their braces. */
export function misnamed(query: string): string[] {
  return namesIn(query).flatMap(({ name, labels }) => {
    const own = METRICS.get(name);
    if (!own) return [name];
    return labels.filter((label) => !own.has(label) && !ADDED.has(label)).map((label) => `${name}{${label}}`);
  });
}

const KEYWORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);

/** The metrics of a PromQL query: every name that is no function, aggregation, keyword, label or duration. */
export function namesIn(query: string): AskedMetric[] {
  const bare = query
    .replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\boffset\s+\w+/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/(?<![\w:.])([a-zA-Z_:][\w:]*)\s*(\{[^}]*\}|\()?/g)].flatMap(([, name = '', behind = '']) => {
    if (behind === '(' || KEYWORDS.has(name.toLowerCase()) || isAggregation(name, bare)) return [];
    return [{ name, labels: [...behind.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label) }];
  });
}

/** `sum by (x) (...)`: the grouping between it and its parenthesis is cut out already, and left a blank. */
function isAggregation(name: string, bare: string): boolean {
  return new RegExp(`\\b${name}\\s+\\(`).test(bare);
}
