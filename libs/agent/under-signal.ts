import { raceSignal } from '#kernel';

/** Starts work unless the signal has fired, and gives it up with the signal's reason when it fires: its late end is dropped. */
export async function underSignal<T>(signal: AbortSignal, start: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const work = start();
  work.catch(() => undefined);
  return raceSignal(work, signal);
}
