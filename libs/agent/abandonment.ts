import { raceSignal } from '#kernel';

/** How a tool is let go of. */
export interface LettingGo {
  /** Ends the attempt: the work is given up at once, whatever it still does. */
  stop: AbortSignal;
  /** Fires with `stop`, and at the time limit. */
  signal: AbortSignal;
  /** For ending by itself after the signal, ms. */
  graceMs: number;
  /** The work went on after its grace. */
  onAbandoned: () => void;
}

/**
 * Starts work unless its signal has fired. After the time limit it may still end by itself, within its grace; then it is given
 * up with the signal's reason. What it does later is dropped.
 */
export async function withGrace<T>(start: () => Promise<T>, { stop, signal, graceMs, onAbandoned }: LettingGo): Promise<T> {
  signal.throwIfAborted();
  const givenUp = new AbortController();
  const work = start();
  let isRunning = true;
  const ended = (): void => void (isRunning = false);
  work.then(ended, ended);
  const abandon = (): void => {
    if (!isRunning) return;
    givenUp.abort(signal.reason);
    onAbandoned();
  };
  const wait = (): void => void (isRunning && setTimeout(abandon, graceMs).unref());
  signal.addEventListener('abort', wait, { once: true });
  return raceSignal(raceSignal(work, givenUp.signal), stop);
}
