import { Random } from '../torture/random.js';
import { Autoscaler } from './autoscaler.js';
import { FairLine } from './fair-line.js';
import { Findings } from './findings.js';
import type { Figures } from './figures.js';
import type { ScalingRule } from './scaling-rule.js';
import { SimulatedFleet, type Turn } from './simulated-fleet.js';
import { arrivals, DAY, HOG, normal, type SimulatedDay } from './traffic-day.js';

export interface SimulationInput {
  rule: ScalingRule;
  figures: Figures;
  day: SimulatedDay;
}

/** Seconds after a scrape. */
const LOOKS_AT = 7;

/** A day, second by second: traffic through admission and runners, with the rule deciding how many there are. */
export function simulate({ rule, figures, day }: SimulationInput): Findings {
  const random = new Random(day.seed);
  const scaler = new Autoscaler(rule);
  const line = new FairLine((tenant) => (tenant === HOG ? day.hogLimit : Infinity));
  const fleet = new SimulatedFleet({
    slots: rule.slots,
    startS: Math.ceil(day.placeS + figures.startMs.runner / 1000),
    graceS: day.graceS,
    mostStartsPerS: Math.floor(1_000_000 / figures.alone.runnerUs),
  });
  const findings = new Findings(day);
  fleet.scaleTo(0, rule.minReplicas);
  let seen = 0;
  for (let at = 0; at < DAY; at++) {
    const { ended, handedBack } = fleet.advance(at);
    for (const tenant of ended) line.ended(tenant);
    for (const turn of handedBack) line.giveBack(turn);
    findings.handedBack(handedBack.length);
    for (const tenant of arrivals(at, day, random)) line.add(turnOf(tenant, at, day, random));
    fleet.begin(at, () => {
      const turn = line.next();
      if (turn) findings.began(at, turn);
      return turn;
    });
    // The rule sees what Prometheus scraped last; neither knows when the other looks.
    if (at % day.scrapeS === 0) seen = line.runnable + fleet.running;
    if (at % rule.pollingIntervalS === LOOKS_AT) fleet.scaleTo(at, scaler.next(at, fleet.replicas, seen));
    findings.second(at, { replicas: fleet.replicas, processes: fleet.processes, oldest: line.oldest, hogWaits: line.has(HOG) });
  }
  return findings;
}

function turnOf(tenant: string, arrivedAt: number, { turnMedianS, turnSigma }: SimulatedDay, random: Random): Turn {
  return { tenant, arrivedAt, seconds: turnMedianS * Math.exp(turnSigma * normal(random)), endsAt: Infinity };
}
