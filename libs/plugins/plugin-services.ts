import type { Hooks } from '#agent';
import type { Completion, PluginStorage } from '#plugin-sdk';
import type { Logger } from '#telemetry';
import type { PluginCall } from './plugin-scope.js';

/** What the process gives its plugins. */
export interface PluginServices {
  logger: Logger;
  hooks: Hooks;
  storage(plugin: string, tenant: string): PluginStorage;
  /** @param call undefined: nobody's turn, so it is the default tenant's */
  complete(completion: Completion, call: PluginCall | undefined, signal: AbortSignal): Promise<string>;
}
