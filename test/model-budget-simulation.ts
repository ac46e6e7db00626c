import { BudgetWorld, type HardLimits } from './budget-world.js';
import { delay } from '#kernel';

const RUNNERS = 8;
const HARD: HardLimits = { requests: 240, tokens: 120_000, windowMs: 6000 };
const WINDOWS = 2;
/** The others come when the burst has taken what there was at once. */
const OTHERS_AFTER_MS = 500;
/** From here on everybody who wants something has to wait. */
const CONTENDED_AFTER_MS = 1000;
/** Of the hog, at once: more than there is room for. */
const BURST = 700;
const SMALL = ['small-1', 'small-2', 'small-3'];

export interface BudgetFigures {
  runners: number;
  calls: number;
  refused: number;
  /** Of the allowance of the scarcer of requests and tokens, from the burst on. */
  used: number;
  /** Calls of the tenant with the fewest for each call of the hog, while all want more than there is. */
  fairness: number;
  /** ms */
  smallP50: number;
  hogP50: number;
}

/** Eight runners, one key: a hog wishes for everything at once, three tenants ask for one call after the other. */
export async function simulateBudget(redisUrl: string): Promise<BudgetFigures> {
  using world = await BudgetWorld.start(redisUrl, HARD, RUNNERS);
  const { calls } = world.provider;
  const stop = new AbortController();
  const { signal } = stop;
  const ended = async (turn: Promise<void>): Promise<void> => {
    await turn.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  const began = performance.now();
  const turns = Array.from({ length: BURST }, (_, n) => ended(world.turn('hog', sizeOf(n), signal)));
  const loops = SMALL.map(async (tenant) => {
    await delay(OTHERS_AFTER_MS);
    for (let n = 0; !signal.aborted; n++) await ended(world.turn(tenant, sizeOf(n), signal));
  });
  const length = WINDOWS * HARD.windowMs;
  await delay(length);
  stop.abort(new Error('The simulation has ended'));
  await Promise.all([...turns, ...loops]);
  const seen = calls.filter(({ at }) => at < began + length);
  const shares = {
    requests: seen.length / HARD.requests,
    tokens: seen.reduce((sum, call) => sum + call.tokens, 0) / HARD.tokens,
  };
  const contended = seen.filter(({ at }) => at > began + CONTENDED_AFTER_MS);
  const countOf = (tenant: string): number => contended.filter((call) => call.tenant === tenant).length;
  return {
    runners: RUNNERS,
    calls: seen.length,
    refused: world.provider.refused,
    used: Math.max(shares.requests, shares.tokens) / WINDOWS,
    fairness: Math.min(...SMALL.map(countOf)) / countOf('hog'),
    smallP50: median(seen.filter(({ tenant }) => tenant !== 'hog').map(({ waited }) => waited)),
    hogP50: median(seen.filter(({ tenant }) => tenant === 'hog').map(({ waited }) => waited)),
  };
}

/** Tokens, all different enough that neither of the two limits is the scarcer one all the time. */
function sizeOf(n: number): number {
  return 200 + ((n * 97) % 600);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;
}
