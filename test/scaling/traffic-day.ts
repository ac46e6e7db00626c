import type { Random } from '../torture/random.js';

export const HOUR = 3_600;
export const DAY = 24 * HOUR;

/** Times are seconds. */
export interface SimulatedDay {
  /** Messages a second at the busiest hour of an ordinary day. */
  peakPerS: number;
  /** How often what is usual comes in the spike. */
  spike: { at: number; forS: number; times: number };
  /** Sessions of one tenant, all at once. */
  hog: { at: number; sessions: number };
  tenants: number;
  // What follows is assumed, since it is not Turnpike's.
  /** The model and the tools: a log-normal length around this median. */
  turnMedianS: number;
  turnSigma: number;
  /** `limits.tenants.hog.concurrency` */
  hogLimit: number;
  /** Until a pod's program starts: placing it, its image being on the node. */
  placeS: number;
  /** `shutdown.graceMs` */
  graceS: number;
  scrapeS: number;
  seed: number;
}

export const ORDINARY_DAY: SimulatedDay = {
  peakPerS: 20,
  spike: { at: 15 * HOUR, forS: 600, times: 10 },
  hog: { at: 10 * HOUR, sessions: 20_000 },
  tenants: 100,
  turnMedianS: 6,
  turnSigma: 0.7,
  hogLimit: 100,
  placeS: 5,
  graceS: 30,
  scrapeS: 15,
  seed: 1,
};

export const HOG = 'hog';
/** Nobody writes from 1 to 6 o'clock, but for one message an hour. */
const NIGHT = { from: HOUR, to: 6 * HOUR };
/** At no even time: it meets each phase of scrapes and looks. */
const ALONE_EVERY = HOUR - 37;

/** Messages a second that are to be expected at a time of the day: nothing at night, most at 15 o'clock, and the spike. */
function rateAt(at: number, { peakPerS, spike }: SimulatedDay): number {
  const isNight = at >= NIGHT.from && at < NIGHT.to;
  const usual = isNight ? 0 : peakPerS * (0.15 + 0.85 * Math.sin((Math.PI * Math.max(0, at - NIGHT.to)) / (18 * HOUR)) ** 2);
  return at >= spike.at && at < spike.at + spike.forS ? usual * spike.times : usual;
}

/** Who writes in the second that begins at `at`: a tenant for each message. */
export function arrivals(at: number, day: SimulatedDay, random: Random): string[] {
  const tenant = (): string => `tenant-${Math.floor(random.next() * day.tenants)}`;
  const usual = Array.from({ length: poisson(rateAt(at, day), random) }, tenant);
  const alone = at >= NIGHT.from && at < NIGHT.to && at % ALONE_EVERY === 0 ? [tenant()] : [];
  const hog = at === day.hog.at ? Array.from({ length: day.hog.sessions }, () => HOG) : [];
  return [...usual, ...alone, ...hog];
}

/** Knuth below 30, and the normal distribution it comes close to above. */
function poisson(mean: number, random: Random): number {
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) count++;
  return count;
}

/** Box and Muller. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
