/** What the main thread and its watchdog share: places in an Int32Array over shared memory. */
export const PLACE = {
  /** Counts up while the event loop turns. */
  beat: 0,
  /** 1 + index of the plugin whose code runs just now, without an await so far; 0 = none. */
  current: 1,
  /** 1 + index of the plugin that ends the process. */
  exiting: 2,
  /** 1 = the watchdog has written that down. */
  written: 3,
} as const;

export function processState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Object.keys(PLACE).length * Int32Array.BYTES_PER_ELEMENT));
}

/** A plugin as the watchdog knows it. */
export interface WatchedPlugin {
  id: string;
  /** Real path of its folder. */
  root: string;
  /** Redis key of its crashes. */
  key: string;
}

export interface WatchdogData {
  state: Int32Array;
  /** Those of its start; later ones come as messages. */
  plugins: readonly WatchedPlugin[];
  redisUrl: string;
  /** ms without a beat */
  blockedMs: number;
}
