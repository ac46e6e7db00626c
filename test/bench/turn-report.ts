import { line } from './report-line.js';
import type { TurnFigures } from './turn-phases.js';

/** Locks are renewed by a timer, whatever runs: a trip now and then that belongs to no call and no token. */
const BY_TIMERS = 0.1;
const TRIPS_PER_CALL = 2 + BY_TIMERS;
const TRIPS_PER_TOKEN = BY_TIMERS / 100;
const RESUME_MS = 15_000;
const CANCEL_MS = 1000;
const REGISTER_MS = 200;

/** What was promised of turns and does not hold, in words. NaN holds nothing. */
export function missedByTurns({ shapes, catalog, resume, cancel }: TurnFigures): string[] {
  const { perCall, perToken } = shapes;
  return [
    ...Object.entries(perCall)
      .filter(([, { roundTrips }]) => !(roundTrips <= TRIPS_PER_CALL))
      .map(([shape, { roundTrips }]) => `a tool call (${shape}) adds ${roundTrips.toFixed(2)} round trips, more than 2`),
    ...(perToken <= TRIPS_PER_TOKEN ? [] : [`a streamed token adds ${perToken.toFixed(4)} round trips, not 0`]),
    ...(catalog.builds === 1 ? [] : [`the catalog was built ${catalog.builds} times for one version`]),
    ...(catalog.registered === 1000 && catalog.registerMs < REGISTER_MS
      ? []
      : [`${catalog.registered} tools were registered in ${catalog.registerMs.toFixed(0)} ms, not 1,000 below ${REGISTER_MS}`]),
    ...(resume.max < RESUME_MS ? [] : [`a turn was resumed after ${resume.max} ms, not below ${RESUME_MS}`]),
    ...(cancel.ms.p99 < CANCEL_MS ? [] : [`a cancel took ${cancel.ms.p99.toFixed(0)} ms, not below ${CANCEL_MS}`]),
  ];
}

/** For people. */
export function turnLines({ shapes: { turns, perCall, perToken }, toolCall, catalog, resume, cancel }: TurnFigures): string[] {
  const { bareUs, wrappedUs, hookedUs } = toolCall;
  return [
    '',
    line('turns, one a session; runner trips', ['CPU, µs', 'sent', 'trips']),
    ...Object.entries(turns).map(([shape, { cpuUs, commandsSent, roundTrips }]) =>
      line(`  ${shape}`, [cpuUs.toFixed(0), commandsSent.toFixed(1), roundTrips.toFixed(2)]),
    ),
    ...Object.entries(perCall).map(([shape, { cpuUs, roundTrips }]) =>
      line(`  a call adds, ${shape}`, [cpuUs.toFixed(0), '', roundTrips.toFixed(2)]),
    ),
    line('  a streamed token adds', ['', '', perToken.toFixed(3)]),
    '',
    line('a tool call that does nothing, µs', ['bare', 'wrapped', '5 hooks']),
    line('  in the process, no Redis', [bareUs.toFixed(2), wrappedUs.toFixed(1), hookedUs.toFixed(1)]),
    line('  x bare', ['', (wrappedUs / bareUs).toFixed(0), (hookedUs / bareUs).toFixed(0)]),
    '',
    line('tool catalog', ['']),
    line('  500 tools, a turn, µs', [catalog.lookupUs.toFixed(2)]),
    line('  which of them under a policy, a turn, µs', [catalog.policyUs.toFixed(2)]),
    line('  decided once a version and set of rules, ms', [catalog.decideMs.toFixed(1)]),
    line('  500 tools, built once a version, ms', [catalog.buildMs.toFixed(1)]),
    line(`  ${catalog.registered} tools of 10 plugins at the start, ms`, [catalog.registerMs.toFixed(0)]),
    '',
    line('ms', ['p50', 'worst']),
    line(`  kill -9 -> next model call (${resume.turns})`, [resume.p50.toFixed(0), resume.max.toFixed(0)]),
    line(`  cancel -> model socket closed (${cancel.turns})`, [cancel.ms.p50.toFixed(1), cancel.ms.p99.toFixed(1)]),
  ];
}
