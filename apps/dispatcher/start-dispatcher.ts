import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Hooks } from '#agent';
import type { ChannelAccount } from '#channels';
import { announceParts, closeParts, CoreModule, LaneUpkeepModule, openParts, type AppContext, type RunningApp } from '#host';
import { DispatcherModule } from './dispatcher.module.js';

@Module({})
class DispatcherApp {}

/** One dispatcher process: outbox -> delivery -> channel. */
export async function startDispatcher(
  context: AppContext,
  accounts: readonly ChannelAccount[] = [],
  hooks?: Hooks,
): Promise<RunningApp> {
  const parts = await openParts(context, 'dispatcher', accounts);
  const imports = [CoreModule.forRoot(parts), LaneUpkeepModule, DispatcherModule.forRoot(hooks)];
  const app = await NestFactory.createApplicationContext({ module: DispatcherApp, imports });
  await announceParts(parts);
  return {
    async stop() {
      parts.ops.drain();
      await app.close();
      await closeParts(parts);
    },
  };
}
