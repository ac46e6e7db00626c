import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ChannelAccount } from '#channels';
import { announceParts, closeParts, CoreModule, LaneUpkeepModule, openParts, type AppContext, type RunningApp } from '#host';
import type { AgentExtras } from './agent-parts.js';
import { RunnerModule } from './runner.module.js';

@Module({})
class RunnerApp {}

/** One runner process: activation -> turn -> commit. */
export async function startRunner(
  context: AppContext,
  extras: AgentExtras & { accounts?: readonly ChannelAccount[] } = {},
): Promise<RunningApp> {
  const parts = await openParts(context, 'runner', extras.accounts);
  const imports = [CoreModule.forRoot(parts), LaneUpkeepModule, RunnerModule.forRoot(extras)];
  const app = await NestFactory.createApplicationContext({ module: RunnerApp, imports });
  await announceParts(parts);
  return {
    async stop() {
      parts.ops.drain();
      await app.close();
      await closeParts(parts);
    },
  };
}
