import type { Comparison } from './comparison.js';
import type { DeliveryFigures } from './delivery-phase.js';
import { deliveryLines, missedByWebhooks, webhookLines } from './delivery-report.js';
import type { FairnessFigures } from './fairness-phase.js';
import type { FailoverFigures } from './failover-phase.js';
import { failoverLines, missedByFailover } from './failover-report.js';
import type { McpFigures } from './mcp-phase.js';
import { mcpLines } from './mcp-report.js';
import { fairnessLines, missedByFairness } from './fairness-report.js';
import type { Footprint } from './footprint.js';
import type { HttpFigures } from './http-phase.js';
import type { Latency } from './latency-phase.js';
import type { Load } from './load-phase.js';
import { budgetLines, missedByBudget } from './budget-report.js';
import { line } from './report-line.js';
import type { RoundTrips } from './round-trips.js';
import type { StreamFigures } from './stream-phase.js';
import { missedByStreams, streamLines } from './stream-report.js';
import type { SideName } from './side.js';
import type { TurnFigures } from './turn-phases.js';
import type { BudgetFigures } from '../model-budget-simulation.js';
import { missedByTurns, turnLines } from './turn-report.js';
import type { WebhookFigures } from './webhook-phase.js';

export interface Report {
  machine: { cores: number; cpu: string; node: string; redis: string };
  /** One-minute load average. */
  load: { before: number; after: number };
  rounds: number;
  comparisons: Comparison[];
  roundTrips: { side: SideName; messagesPerSession: number; perMessage: RoundTrips }[];
  latency: { side: SideName; perSecond: number; ms: Latency }[];
  http: HttpFigures;
  footprint: Footprint;
  turns: TurnFigures;
  fairness: FairnessFigures;
  budget: BudgetFigures;
  failover: FailoverFigures;
  mcp: McpFigures;
  streams: StreamFigures;
  webhooks: WebhookFigures[];
  deliveries: DeliveryFigures[];
}

/** Bytes of an idle session's head at most (G7). */
const HEAD_BYTES = 400;

const LOAD_ROWS: readonly [string, (load: Load) => number, number][] = [
  ['CPU, µs', ({ cpuUs }) => cpuUs, 0],
  ['  Redis', ({ redisUs }) => redisUs, 0],
  ['  Node', ({ nodeUs }) => nodeUs, 0],
  ['Redis commands, in scripts too', ({ redisCommands }) => redisCommands, 1],
  ['commands sent', ({ commandsSent }) => commandsSent, 1],
];
const SPEED_ROWS: readonly [string, (load: Load) => number, number][] = [
  ['messages/s, accept then work', ({ messagesPerS }) => messagesPerS, 0],
  ['  accepted/s', ({ acceptedPerS }) => acceptedPerS, 0],
  ['  worked off/s', ({ workedPerS }) => workedPerS, 0],
];

/** What was promised and does not hold, in words. */
export function missedTargets({
  comparisons,
  footprint,
  turns,
  fairness,
  budget,
  failover,
  streams,
  webhooks,
}: Report): string[] {
  const slow = comparisons.filter(({ ratio, target }) => !(ratio >= target));
  const { idle, idleAfter10 } = footprint;
  return [
    ...slow.map(({ workload, ratio, target }) => `${workload}: CPU ratio ${ratio.toFixed(3)} is below ${target}`),
    ...[idle, idleAfter10]
      .filter(({ head }) => head > HEAD_BYTES)
      .map(({ head }) => `the head of an idle session has ${head} bytes, more than ${HEAD_BYTES}`),
    ...[idle, idleAfter10].flatMap(({ staying }) => staying.slice(0, 3)).map((key) => `an idle session keeps ${key} for ever`),
    ...missedByTurns(turns),
    ...missedByFairness(fairness),
    ...missedByBudget(budget),
    ...missedByFailover(failover),
    ...missedByStreams(streams),
    ...missedByWebhooks(webhooks),
  ];
}

/** For people. */
export function table(report: Report): string {
  const { machine, load, rounds, comparisons, http, footprint } = report;
  const missed = missedTargets(report);
  const lines = [
    `${machine.cores} cores (${machine.cpu}), Node ${machine.node}, Redis ${machine.redis} with AOF everysec; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after; medians of ${rounds}`,
    'raw: 1 process that adds, 2 that do nothing with it. full: accept (in-process, no HTTP) -> runner (model answers 100 characters at once)',
    "-> dispatcher (receipts, the generic webhook's rendering) -> a channel account in the dispatcher that takes everything.",
    ...comparisons.flatMap(comparisonLines),
    '',
    'awaited round trips per message, one thing at a time',
    ...report.roundTrips.map(({ side, messagesPerSession, perMessage }) =>
      line(`  ${side} x ${messagesPerSession}`, [tripText(perMessage)]),
    ),
    '',
    `latency at ${report.latency[0]?.perSecond ?? 0} messages/s, ms`,
    ...report.latency.flatMap(({ side, ms }) =>
      Object.entries(ms).map(([way, { p50, p99 }]) =>
        line(`  ${side}: ${way}`, [`p50 ${p50.toFixed(1)}`, `p99 ${p99.toFixed(1)}`]),
      ),
    ),
    '',
    'HTTP POST to one ingress process, 50 in flight',
    line('  accepted/s', [http.acceptedPerS.toFixed(0)]),
    line('  CPU of a request, µs', [`Node ${http.nodeUs.toFixed(0)}`, `Redis ${http.redisUs.toFixed(0)}`]),
    line('  latency, ms', [`p50 ${http.ms.p50.toFixed(1)}`, `p99 ${http.ms.p99.toFixed(1)}`]),
    '',
    'bytes of a session in Redis',
    line('  busy, one message waits', [footprint.busy.toFixed(0)]),
    ...Object.entries({ 'idle after 1': footprint.idle, 'idle after 10': footprint.idleAfter10 }).map(
      ([name, { head, transcript, expiring }]) =>
        line(`  ${name}`, [`head ${head.toFixed(0)}`, `transcript ${transcript.toFixed(0)}`, `expiring ${expiring.toFixed(0)}`]),
    ),
    ...turnLines(report.turns),
    ...fairnessLines(report.fairness),
    ...budgetLines(report.budget),
    ...failoverLines(report.failover),
    ...mcpLines(report.mcp),
    ...streamLines(report.streams),
    ...webhookLines(report.webhooks),
    ...deliveryLines(report.deliveries),
    '',
    missed.length === 0 ? 'all targets met' : `MISSED: ${missed.join('; ')}`,
  ];
  return `${lines.join('\n')}\n`;
}

function comparisonLines({ workload, raw, full, ratio, ratios, target }: Comparison): string[] {
  const row = ([name, figure, digits]: (typeof LOAD_ROWS)[number]): string =>
    line(
      `  ${name}`,
      [figure(raw), figure(full), figure(raw) / figure(full)].map((value, index) => value.toFixed(index === 2 ? 2 : digits)),
    );
  const processes = Object.entries(full.nodeUsBy).map(([name, us]) => `${name} ${us.toFixed(0)}`);
  return [
    '',
    line(workload, ['raw', 'full', 'raw/full']),
    ...LOAD_ROWS.map(row),
    ...SPEED_ROWS.map(row),
    `  CPU ratio ${ratio.toFixed(3)}, target ${target} (rounds: ${ratios.map((each) => each.toFixed(3)).join(', ')}); Node by process: ${processes.join(', ')}`,
  ];
}

function tripText(trips: RoundTrips): string {
  const total = Object.values(trips).reduce((sum, each) => sum + each, 0);
  return `${total.toFixed(1)} = ${Object.entries(trips)
    .map(([name, each]) => `${name} ${each.toFixed(1)}`)
    .join(' + ')}`;
}
