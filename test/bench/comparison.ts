import type { RedisClient } from '#redis';
import type { ChildOptions } from './bench-child.js';
import { measureLoad, type Load } from './load-phase.js';
import { median } from './median.js';
import { onFreshSide, type SideName } from './side.js';
import { nameOf, type Workload } from './workload.js';

/** One workload on both sides, medians over the rounds. */
export interface Comparison {
  workload: string;
  raw: Load;
  full: Load;
  /** CPU per message, raw / full: the median of each round's own, so that a busy machine hits both sides. */
  ratio: number;
  ratios: number[];
  target: number;
}

/** Runs both sides `rounds` times, in turn, each on an empty Redis with processes of its own. */
export async function compare(
  redis: RedisClient,
  { workload, target }: { workload: Workload; target: number },
  rounds: number,
  options: ChildOptions,
  say: (line: string) => void,
): Promise<Comparison> {
  const raw: Load[] = [];
  const full: Load[] = [];
  for (let round = 1; round <= rounds; round++) {
    raw.push(await once('raw', redis, workload, { ...options, profileDir: undefined }));
    full.push(await once('full', redis, workload, options));
    say(`${nameOf(workload)}, round ${round} of ${rounds}: ratio ${ratioOf(raw.at(-1), full.at(-1)).toFixed(3)}`);
  }
  const ratios = raw.map((load, index) => ratioOf(load, full[index]));
  return { workload: nameOf(workload), raw: medianLoad(raw), full: medianLoad(full), ratio: median(ratios), ratios, target };
}

function once(name: SideName, redis: RedisClient, workload: Workload, options: ChildOptions): Promise<Load> {
  return onFreshSide(redis, name, options, (side) => measureLoad(side, redis, workload));
}

function ratioOf(raw: Load | undefined, full: Load | undefined): number {
  return (raw?.cpuUs ?? Number.NaN) / (full?.cpuUs ?? Number.NaN);
}

/** Each figure's own median; of the named lists, the run with the median CPU. */
function medianLoad(loads: readonly Load[]): Load {
  const cpu = median(loads.map(({ cpuUs }) => cpuUs));
  const typical = loads.find(({ cpuUs }) => cpuUs === cpu);
  if (!typical) throw new Error('A bench needs at least one round');
  const of = (figure: (load: Load) => number): number => median(loads.map(figure));
  return {
    ...typical,
    redisUs: of(({ redisUs }) => redisUs),
    nodeUs: of(({ nodeUs }) => nodeUs),
    redisCommands: of(({ redisCommands }) => redisCommands),
    commandsSent: of(({ commandsSent }) => commandsSent),
    acceptedPerS: of(({ acceptedPerS }) => acceptedPerS),
    workedPerS: of(({ workedPerS }) => workedPerS),
    messagesPerS: of(({ messagesPerS }) => messagesPerS),
  };
}
