import type { Beside, FairnessFigures, Share } from './fairness-phase.js';
import { line } from './report-line.js';

const LONGER_AT_MOST = 1.5;
const OFF_AT_MOST = 0.1;

function ways({ burst, steady, besideSession }: FairnessFigures): readonly [string, Beside][] {
  return [
    ['500 at once, beside a tenant', burst],
    ['evenly, beside a tenant', steady],
    ['evenly, beside a session', besideSession],
  ];
}

const longer = ({ alone, beside }: Beside): number => beside.p99 / alone.p99;

/** By how much the other tenant's turns for one of the hog's differ from its weight. */
const off = ({ weight, turns, hogTurns }: Share): number => Math.abs(turns / hogTurns / weight - 1);

/** What was promised of fairness and does not hold, in words. */
export function missedByFairness(figures: FairnessFigures): string[] {
  return [
    ...ways(figures)
      .filter(([, way]) => !(longer(way) <= LONGER_AT_MOST))
      .map(([name, way]) => `${name}: p99 is ${longer(way).toFixed(2)} times what it is alone, more than ${LONGER_AT_MOST}`),
    ...figures.shares
      .filter((share) => !(off(share) <= OFF_AT_MOST))
      .map((share) => `weight ${share.weight} : 1 got ${share.turns} : ${share.hogTurns} turns`),
  ];
}

/** For people. */
export function fairnessLines(figures: FairnessFigures): string[] {
  return [
    '',
    line(`fairness, hog of ${figures.hogSessions} sessions; ms`, ['p99 alone', 'p99 beside', 'ratio']),
    ...ways(figures).map(([name, way]) =>
      line(`  ${name}`, [way.alone.p99.toFixed(0), way.beside.p99.toFixed(0), longer(way).toFixed(2)]),
    ),
    ...figures.shares.map((share) =>
      line(`  weight ${share.weight} : 1, load 1 : 100`, [
        `${share.turns}`,
        `${share.hogTurns}`,
        (share.turns / share.hogTurns).toFixed(2),
      ]),
    ),
  ];
}
