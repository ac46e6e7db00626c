import { Worker } from 'node:worker_threads';
import { describeError } from '#kernel';
import type { Logger } from '#telemetry';
import { currentScope, markCurrent } from '../plugin-scope.js';
import { PLACE, processState, type WatchdogData, type WatchedPlugin } from './process-state.js';

const BEAT_MS = 100;
/** For the watchdog to write down who ended the process, also one that has hardly begun. */
const WRITE_MS = 5000;

/**
 * Ends a process that a plugin holds up, and writes down which plugin ended or held up a process, so that it is left out
 * after three times (TO-3). What the process had in work is resumed elsewhere, as after any death.
 */
export class PluginWatchdog {
  private readonly state = processState();
  private readonly beating: NodeJS.Timeout;
  private plugins: readonly WatchedPlugin[] = [];
  private worker: Worker | undefined;

  constructor(
    private readonly options: Omit<WatchdogData, 'state' | 'plugins'>,
    private readonly logger: Logger,
  ) {
    this.beating = setInterval(() => Atomics.add(this.state, PLACE.beat, 1), BEAT_MS);
    this.beating.unref();
    process.on('exit', this.atExit);
    markCurrent((plugin) => Atomics.store(this.state, PLACE.current, this.placeOf(plugin)));
  }

  /** Before any of their code runs. The thread and its connection are there only while there is something to watch. */
  watch(plugins: readonly WatchedPlugin[]): void {
    this.plugins = plugins;
    if (this.worker) this.worker.postMessage(plugins);
    else if (plugins.length > 0) this.worker = this.start();
  }

  async close(): Promise<void> {
    clearInterval(this.beating);
    process.off('exit', this.atExit);
    markCurrent(undefined);
    await this.worker?.terminate();
  }

  private start(): Worker {
    const workerData: WatchdogData = { ...this.options, state: this.state, plugins: this.plugins };
    const worker = new Worker(new URL('./watchdog.worker.js', import.meta.url), { workerData });
    worker.unref();
    worker.on('error', (error) => {
      this.logger.error(
        { error: describeError(error) },
        'The watchdog of plugins has ended: nobody notices one that holds up the process',
      );
    });
    return worker;
  }

  private placeOf(plugin: string | undefined): number {
    return plugin === undefined ? 0 : 1 + this.plugins.findIndex(({ id }) => id === plugin);
  }

  private readonly atExit = (): void => {
    const place = this.placeOf(currentScope()?.plugin);
    if (place === 0 || !this.worker) return;
    Atomics.store(this.state, PLACE.exiting, place);
    Atomics.notify(this.state, PLACE.exiting);
    Atomics.wait(this.state, PLACE.written, 0, WRITE_MS);
  };
}
