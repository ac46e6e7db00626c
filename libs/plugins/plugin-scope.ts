import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from '#agent';

/** The tool call that plugin code runs for. */
export type PluginCall = Pick<ToolContext, 'tenant' | 'session' | 'turn' | 'pay'>;

interface Scope {
  plugin: string;
  call: PluginCall | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** For whoever reports an error that nobody caught. */
export const currentPlugin = (): string | undefined => scopes.getStore()?.plugin;

/** Whose code runs here, through every await. What kills the process is blamed on it. */
export const currentScope = (): Scope | undefined => scopes.getStore();

let current: string | undefined;
let mark: ((plugin: string | undefined) => void) | undefined;

/** @param told at each entry of plugin code and when it gives the event loop back; undefined: nobody listens any more */
export function markCurrent(told: typeof mark): void {
  mark = told;
}

export function inPlugin<T>(plugin: string, call: PluginCall | undefined, run: () => T): T {
  const before = current;
  mark?.((current = plugin));
  try {
    return scopes.run({ plugin, call }, run);
  } finally {
    mark?.((current = before));
  }
}
