import type { RedisClient } from '#redis';
import type { ChildOptions } from './bench-child.js';
import { measureCatalog, type CatalogCost } from './catalog-cost.js';
import { measureCancel, type CancelFigures } from './cancel-phase.js';
import { measureResume, type ResumeFigures } from './resume-phase.js';
import { measureShapes, type ShapeFigures } from './shape-phase.js';
import { measureWrappedCall, type WrappedCall } from './wrapped-call.js';

/** What durable turns cost, and how soon they go on and stop. */
export interface TurnFigures {
  shapes: ShapeFigures;
  toolCall: WrappedCall;
  catalog: CatalogCost;
  resume: ResumeFigures;
  cancel: CancelFigures;
}

export async function measureTurns(redis: RedisClient, options: ChildOptions, say: (line: string) => void): Promise<TurnFigures> {
  const shapes = await measureShapes(redis, options);
  say('turns with tool calls');
  const toolCall = await measureWrappedCall();
  const catalog = await measureCatalog();
  await redis.flushall();
  const cancel = await measureCancel(options);
  say('a wrapped tool call; cancel');
  await redis.flushall();
  const resume = await measureResume(options);
  say('resume after a kill');
  return { shapes, toolCall, catalog, resume, cancel };
}
