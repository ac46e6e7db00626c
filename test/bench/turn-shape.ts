/** What the model does in a turn: how many calls each of its answers makes before the last one, and in how many pieces that comes. */
interface TurnPlan {
  calls: readonly number[];
  pieces: number;
  /** Before each answer, ms. */
  ms?: number;
}

export const TURN_SHAPES = {
  plain: { calls: [], pieces: 1 },
  streamed: { calls: [], pieces: 100 },
  together: { calls: [3], pieces: 1 },
  'one by one': { calls: [1, 1, 1], pieces: 1 },
  slow: { calls: [], pieces: 1, ms: 100 },
} as const satisfies Record<string, TurnPlan>;
export type TurnShape = keyof typeof TURN_SHAPES;
/** Those whose cost is measured. */
export type CostedShape = Exclude<TurnShape, 'slow'>;

const SHAPES = Object.keys(TURN_SHAPES) as TurnShape[];

/** A message says of which shape its turn is. */
export function planIn(text: string): TurnPlan {
  return TURN_SHAPES[SHAPES.find((shape) => text.includes(` ${shape} `)) ?? 'plain'];
}

export function callsOf(shape: TurnShape): number {
  return TURN_SHAPES[shape].calls.reduce((sum: number, calls) => sum + calls, 0);
}
