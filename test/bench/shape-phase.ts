import type { RedisClient } from '#redis';
import type { ChildOptions } from './bench-child.js';
import { measureLoad } from './load-phase.js';
import { countRoundTrips } from './round-trips.js';
import { onFreshSide } from './side.js';
import { callsOf, TURN_SHAPES, type CostedShape } from './turn-shape.js';

/** What a turn of one shape costs. */
export interface ShapeCost {
  /** Redis and the three processes, µs. */
  cpuUs: number;
  commandsSent: number;
  /** Awaited by the runner. */
  roundTrips: number;
}

export interface ShapeFigures {
  turns: Record<CostedShape, ShapeCost>;
  /** What a call adds to a plain turn. */
  perCall: Record<'together' | 'one by one', { cpuUs: number; roundTrips: number }>;
  /** Round trips that a streamed piece of an answer adds. */
  perToken: number;
}

const LOAD_SESSIONS = 500;
const COUNTED_SESSIONS = 50;

/** One turn a session, of each shape, each on an empty Redis with processes of its own. */
export async function measureShapes(redis: RedisClient, options: ChildOptions): Promise<ShapeFigures> {
  const cost = async (shape: CostedShape): Promise<ShapeCost> => {
    const { cpuUs, commandsSent } = await onFreshSide(redis, 'full', options, (side) =>
      measureLoad(side, redis, { sessions: LOAD_SESSIONS, messages: 1, shape }),
    );
    const { runner: roundTrips = Number.NaN } = await onFreshSide(
      redis,
      'full',
      { ...options, concurrency: 1, countRoundTrips: true },
      (side) => countRoundTrips(side, { sessions: COUNTED_SESSIONS, messages: 1, shape }),
    );
    return { cpuUs, commandsSent, roundTrips };
  };
  const turns = {
    plain: await cost('plain'),
    streamed: await cost('streamed'),
    together: await cost('together'),
    'one by one': await cost('one by one'),
  };
  const { plain, streamed } = turns;
  const more = TURN_SHAPES.streamed.pieces - TURN_SHAPES.plain.pieces;
  return {
    turns,
    perCall: { together: perCall('together', turns), 'one by one': perCall('one by one', turns) },
    perToken: (streamed.roundTrips - plain.roundTrips) / more,
  };
}

/** The step of each answer that asks for tools is the answer's, not a call's. */
function perCall(shape: 'together' | 'one by one', turns: Record<CostedShape, ShapeCost>): { cpuUs: number; roundTrips: number } {
  const calls = callsOf(shape);
  const answers = TURN_SHAPES[shape].calls.length;
  const { [shape]: turn, plain } = turns;
  return {
    cpuUs: (turn.cpuUs - plain.cpuUs) / calls,
    roundTrips: (turn.roundTrips - plain.roundTrips - answers) / calls,
  };
}
