import { setTimeout as sleep } from 'node:timers/promises';

/** Waits `ms`, or rejects with the signal's reason as soon as it fires. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/**
 * Aborts `controller` when one of `signals` does. AbortSignal.any does the same and costs a multiple of it, which tells where
 * it is done for every turn and one of the signals lives as long as the process. @returns the way to stop forwarding
 */
export function forwardAborts(controller: AbortController, signals: readonly AbortSignal[]): () => void {
  const undo = signals.map((signal) => {
    const forward = (): void => controller.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener('abort', forward, { once: true });
    return () => signal.removeEventListener('abort', forward);
  });
  return () => undo.forEach((stop) => stop());
}

/** Settles like `work`, or rejects with the signal's reason first. `work` goes on unobserved: give it the signal too. */
export async function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
