import type { Hooks } from '#agent';
import type { ChannelAccount } from '#channels';
import { startWorkerApp, type AppContext, type RunningApp } from '#host';
import { DispatcherModule } from './dispatcher.module.js';

/** One dispatcher process: outbox -> delivery -> channel. */
export function startDispatcher(context: AppContext, accounts?: readonly ChannelAccount[], hooks?: Hooks): Promise<RunningApp> {
  return startWorkerApp(context, 'dispatcher', DispatcherModule.forRoot(hooks), accounts);
}
