import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Tool } from '#agent';
import { announceParts, closeParts, CoreModule, LaneUpkeepModule, openParts, type AppContext, type RunningApp } from '#host';
import { RunnerModule } from './runner.module.js';

@Module({})
class RunnerApp {}

/** One runner process: activation -> turn -> commit. @param tools beyond the built-in ones */
export async function startRunner(context: AppContext, tools: readonly Tool[] = []): Promise<RunningApp> {
  const parts = await openParts(context, 'runner');
  const imports = [CoreModule.forRoot(parts), LaneUpkeepModule, RunnerModule.forRoot(tools)];
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
