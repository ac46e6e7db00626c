import type { ChannelAccount } from '#channels';
import { startWorkerApp, type AppContext, type RunningApp } from '#host';
import type { AgentExtras } from './agent-parts.js';
import { RunnerModule } from './runner.module.js';

/** One runner process: activation -> turn -> commit. */
export function startRunner(
  context: AppContext,
  extras: AgentExtras & { accounts?: readonly ChannelAccount[] } = {},
): Promise<RunningApp> {
  return startWorkerApp(context, 'runner', RunnerModule.forRoot(extras), extras.accounts);
}
