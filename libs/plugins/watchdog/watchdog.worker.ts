import { workerData, parentPort } from 'node:worker_threads';
import { connect } from '#redis';
import { blockedBy } from './blocked-by.js';
import { countCrash } from './plugin-crashes.js';
import { PLACE, type WatchdogData, type WatchedPlugin } from './process-state.js';

/** A thread of its own: it goes on where plugin code holds the event loop, and while the process exits. */
const { state, plugins: watchedFirst, redisUrl, blockedMs } = workerData as WatchdogData;
const TICK_MS = 250;
const redis = connect(redisUrl, 'worker');
let plugins = watchedFirst;
let beat = 0;
let silentMs = 0;

parentPort?.on('message', (watched: readonly WatchedPlugin[]) => (plugins = watched));

/** Time in which the whole process was stopped does not count: the ticks stop with it. */
setInterval(() => {
  const now = Atomics.load(state, PLACE.beat);
  silentMs = now === beat ? silentMs + TICK_MS : 0;
  beat = now;
  if (silentMs >= blockedMs) void endBlocked();
}, TICK_MS);

async function endBlocked(): Promise<void> {
  silentMs = Number.NEGATIVE_INFINITY;
  const current = Atomics.load(state, PLACE.current) - 1;
  const found = await blockedBy(plugins);
  const culprit = plugins[found === -1 ? current : found];
  // Not a plugin's doing: the liveness probe decides.
  if (!culprit) return;
  await countCrash(redis, culprit.key, `held up its process for ${blockedMs} ms`).catch(() => undefined);
  process.kill(process.pid, 'SIGKILL');
}

async function writeExit(): Promise<void> {
  const { value } = Atomics.waitAsync(state, PLACE.exiting, 0);
  await value;
  const culprit = plugins[Atomics.load(state, PLACE.exiting) - 1];
  if (culprit) await countCrash(redis, culprit.key, 'ended its process').catch(() => undefined);
  Atomics.store(state, PLACE.written, 1);
  Atomics.notify(state, PLACE.written);
}
void writeExit();
