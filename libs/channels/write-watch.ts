import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/**
 * Tells whether a `fetch` put anything on the wire. A timeout while connecting (a lost route, a silent TLS peer) looks
 * to the caller just like a timeout after the request was written; only the first may be tried again on a platform
 * that cannot deduplicate. Node's fetch reports both moments on its diagnostics channels.
 */
interface Watched {
  created: boolean;
  written: boolean;
}

const current = new AsyncLocalStorage<Watched>();
const watchedBy = new WeakMap<object, Watched>();

subscribe('undici:request:create', (message) => {
  const watched = current.getStore();
  const request = requestOf(message);
  if (!watched || !request) return;
  watched.created = true;
  watchedBy.set(request, watched);
});

subscribe('undici:client:sendHeaders', (message) => {
  const request = requestOf(message);
  const watched = request && watchedBy.get(request);
  if (watched) watched.written = true;
});

function requestOf(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  return typeof message.request === 'object' && message.request !== null ? message.request : undefined;
}

export interface WriteWatch {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** True only when it is certain that no byte of the request left. */
  provenUnsent(): boolean;
}

/** Watches the one request that `run` makes. */
export function watchWrite(): WriteWatch {
  const watched: Watched = { created: false, written: false };
  return {
    run: (work) => current.run(watched, work),
    provenUnsent: () => watched.created && !watched.written,
  };
}
