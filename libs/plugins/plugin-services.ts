import type { Hooks } from '#agent';
import type { Completion, PluginStorage } from '#plugin-sdk';
import type { Logger } from '#telemetry';
import type { PluginCall } from './plugin-scope.js';
import type { PluginGuard } from './watchdog/plugin-guard.js';

/** What the process gives its plugins. */
export interface PluginServices {
  logger: Logger;
  hooks: Hooks;
  /** `routes`: only plugins with HTTP routes are loaded, and nothing of them but these counts; default: everything does. */
  role?: 'routes';
  /** Who may not run, by what it has done to processes; default: everybody may. */
  guard?: PluginGuard;
  storage(plugin: string, tenant: string): PluginStorage;
  /** @param call undefined: nobody's turn, so it is the default tenant's */
  complete(completion: Completion, call: PluginCall | undefined, signal: AbortSignal): Promise<string>;
}
