import { AsyncLocalStorage } from 'node:async_hooks';
import type { ToolContext } from '#agent';

/** The tool call that plugin code runs for. */
export type PluginCall = Pick<ToolContext, 'tenant' | 'session' | 'turn' | 'pay'>;

interface Scope {
  plugin: string;
  call: PluginCall | undefined;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Whose code runs here, through every await. What kills the process is blamed on it. */
export const currentScope = (): Scope | undefined => scopes.getStore();

export function inPlugin<T>(plugin: string, call: PluginCall | undefined, run: () => T): T {
  return scopes.run({ plugin, call }, run);
}
