import type { Logger } from '../logger.js';
import type { TracedProcess } from './sdk.js';

export interface Tracing {
  on: boolean;
  /** Messages, arguments and results go into spans. */
  content: boolean;
}

let current: Readonly<Tracing> = { on: false, content: false };

/** What this process traces. */
export function tracing(): Readonly<Tracing> {
  return current;
}

/**
 * Begins to trace, if that is `wanted`; nothing of OpenTelemetry's SDK is loaded otherwise.
 * @returns sends what is left, and ends; never rejects
 */
export async function startTracing(wanted: Tracing, process: TracedProcess, logger: Logger): Promise<() => Promise<void>> {
  if (!wanted.on) return async () => undefined;
  const { openSdk } = await import('./sdk.js');
  const stop = openSdk(process, logger);
  current = wanted;
  return stop;
}
