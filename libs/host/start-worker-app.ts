import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ChannelAccount } from '#channels';
import { CoreModule } from './core.module.js';
import { announceParts, closeParts, openParts } from './core.parts.js';
import { LaneUpkeepModule } from './core.upkeep.js';
import type { AppContext, RunningApp } from './lifecycle.js';

@Module({})
class WorkerApp {}

/** A process that works on a lane and serves nothing but its ops port. @param accounts channel accounts beyond the configured ones */
export async function startWorkerApp(
  context: AppContext,
  name: string,
  module: DynamicModule,
  accounts?: readonly ChannelAccount[],
): Promise<RunningApp> {
  const parts = await openParts(context, name, accounts);
  const imports = [CoreModule.forRoot(parts), LaneUpkeepModule, module];
  const app = await NestFactory.createApplicationContext({ module: WorkerApp, imports });
  await announceParts(parts);
  return {
    async stop() {
      parts.ops.drain();
      await app.close();
      await closeParts(parts);
    },
  };
}
