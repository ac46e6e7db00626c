import { z } from 'zod';
import type { Chunk } from '#channels';
import type { DeliveryState } from '#lanes';

const progressSchema = z.object({
  /** Tries that were proven unsent. */
  tries: z.number(),
  /** Rendered once, when there are several; never rendered again (OUT-1). */
  chunks: z.array(z.object({ text: z.string(), payload: z.record(z.string(), z.unknown()) })).optional(),
  /** Platform ids of the chunks that arrived. */
  done: z.array(z.string()),
});
export type DeliveryProgress = z.infer<typeof progressSchema> & { chunks?: Chunk[] | undefined };

/** What the take finds of a delivery that nobody has had before. */
export const UNTRIED: DeliveryState = 'q';

const NONE: DeliveryProgress = { tries: 0, done: [] };

/** The state text of a receipt that is not final: a letter and how far it is. See DeliveryState. */
export function parseProgress(state: DeliveryState): DeliveryProgress {
  return state.length > 1 ? progressSchema.parse(JSON.parse(state.slice(1))) : NONE;
}

/** Nothing is in flight: the next try repeats nothing. */
export function waiting(progress: DeliveryProgress): DeliveryState {
  return `q${JSON.stringify(progress)}`;
}

/** The next chunk may be in flight from now on. */
export function started(progress: DeliveryProgress): DeliveryState {
  return `s${JSON.stringify(progress)}`;
}

export function mayBeInFlight(state: DeliveryState): boolean {
  return state.startsWith('s');
}

export function isFinal(state: DeliveryState): boolean {
  return state.startsWith('f');
}
