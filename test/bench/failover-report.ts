import type { FailoverFigures } from './failover-phase.js';
import { line } from './report-line.js';

const MOST_LOST_MS = 2000;

/** What was promised of failover and does not hold, in words. NaN holds nothing. */
export function missedByFailover({ questions, answered, p95 }: FailoverFigures): string[] {
  return [
    ...(answered === questions ? [] : [`${answered} of ${questions} questions were answered by the fallback`]),
    ...(p95 <= MOST_LOST_MS ? [] : [`a failing primary cost ${p95.toFixed(0)} ms (p95), more than ${MOST_LOST_MS}`]),
  ];
}

/** For people. */
export function failoverLines({ questions, answered, p50, p95 }: FailoverFigures): string[] {
  return [
    '',
    line('a primary that fails each time', ['questions', 'answered']),
    line('  by the fallback', [String(questions), String(answered)]),
    line('  time lost p50, p95, ms', [p50.toFixed(0), p95.toFixed(0)]),
  ];
}
