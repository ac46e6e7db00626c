import { NotNowError, TerminalError, TransientError } from '#kernel';
import type { FailureCode } from '../wire/wire-failure.js';

/** What is spared for a while by every runner: the model under this key, or the key, for 30 s and longer each time or for 10 min. */
export type Rest = 'model' | 'key' | 'key_long';

/** What a failure asks for. */
export interface Reaction {
  /** Ask the same model once more, where that costs the user little. */
  again: boolean;
  /** How many other keys of the same model are asked after it, before the next model. */
  keys: number;
  rest?: Rest;
}

type Code = FailureCode | 'stream_truncated' | 'empty_response' | 'no_room' | 'unknown';

const EVERY_KEY = Number.POSITIVE_INFINITY;
/** What another model would do no better, or must not be asked in its place: the turn decides. */
const END = 'end';

/** The one table of what a failed model call leads to (MO-3; docs/models.md has it with the reasons). */
export const REACTIONS: Readonly<Record<Code, Reaction | typeof END>> = {
  auth: { again: false, keys: EVERY_KEY, rest: 'key' },
  auth_permanent: { again: false, keys: EVERY_KEY, rest: 'key_long' },
  billing: { again: false, keys: EVERY_KEY, rest: 'key_long' },
  rate_limit: { again: false, keys: 1, rest: 'model' },
  overloaded: { again: false, keys: 1, rest: 'model' },
  // One server stands behind all keys: another key of it helps no more than the same one.
  server_error: { again: true, keys: 0, rest: 'model' },
  network: { again: true, keys: 0, rest: 'model' },
  stream_truncated: { again: true, keys: 0, rest: 'model' },
  // Who was silent for minutes is not waited for twice.
  timeout: { again: false, keys: 0, rest: 'model' },
  model_not_found: { again: false, keys: 0, rest: 'model' },
  empty_response: { again: true, keys: 0 },
  no_room: { again: false, keys: EVERY_KEY },
  unknown: { again: false, keys: 0 },
  format: END,
  context_overflow: END,
};

export function codeOf(error: unknown): Code {
  if (error instanceof NotNowError) return 'no_room';
  const known = error instanceof TransientError || error instanceof TerminalError;
  return known && Object.hasOwn(REACTIONS, error.code) ? (error.code as Code) : 'unknown';
}

/** Failed calls that one turn may make over all its attempts, by the keys there are to try (24 and 8 for each, 32 to 160). */
export function mostFailures(keys: number): number {
  return Math.min(160, Math.max(32, 24 + 8 * keys));
}

/** The failure to go on with when all have failed: the one after which trying later has the best prospects. */
export function mostHopeful(failures: readonly unknown[]): unknown {
  const rooms = failures.filter((failure) => failure instanceof NotNowError);
  const passing = failures.filter((failure) => failure instanceof TransientError);
  return (
    rooms.toSorted((one, other) => one.afterMs - other.afterMs)[0] ??
    passing.toSorted((one, other) => (one.retryAfterMs ?? 0) - (other.retryAfterMs ?? 0))[0] ??
    failures[0]
  );
}
