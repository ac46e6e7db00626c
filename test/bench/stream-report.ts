import { line } from './report-line.js';
import type { StreamFigures } from './stream-phase.js';

const ADDED_MS = 2;
const LAG_MS = 50;

/** What was promised of streams and does not hold, in words. NaN holds nothing. */
export function missedByStreams(figures: StreamFigures): string[] {
  const { streams, lagMs } = figures;
  const added = addedMs(figures);
  return [
    ...(added <= ADDED_MS ? [] : [`the first words came ${added.toFixed(1)} ms (p50) behind the SDK's, more than ${ADDED_MS}`]),
    ...(lagMs.p99 < LAG_MS
      ? []
      : [`${streams} streams held the loop up for ${lagMs.p99.toFixed(0)} ms (p99), not below ${LAG_MS}`]),
  ];
}

/** For people. */
export function streamLines(figures: StreamFigures): string[] {
  const { turns, raw, watched, streams, piecesPerS, cpuMs, lagMs } = figures;
  return [
    '',
    line(`first byte -> first words (${turns}), ms`, ['p50', 'p99']),
    line('  the SDK alone', [raw.p50.toFixed(2), raw.p99.toFixed(2)]),
    line('  the event stream', [watched.p50.toFixed(2), watched.p99.toFixed(2)]),
    line('  added', [addedMs(figures).toFixed(2)]),
    line(`${streams} streams of ${piecesPerS} pieces/s`, ['p50', 'p99']),
    line('  lag of the event loop, ms', [lagMs.p50.toFixed(1), lagMs.p99.toFixed(1)]),
    line('  CPU of 1,000 pieces, ms', [cpuMs.toFixed(1)]),
  ];
}

const addedMs = ({ raw, watched }: StreamFigures): number => watched.p50 - raw.p50;
