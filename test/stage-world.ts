import { StageModel } from './fakes/stage-model.js';
import { startIngressWorld, type IngressWorld } from './ingress-world.js';
import { startRedis, type RedisServer } from './redis-server.js';
import { startWorkers } from './webchat-world.js';

/** An ingress, a runner and a dispatcher in this process, over a Redis of their own and a model that waits for its cue. */
export interface StageWorld {
  redis: RedisServer;
  ingress: IngressWorld;
  model: StageModel;
  close(): Promise<void>;
}

export async function startStageWorld(): Promise<StageWorld> {
  const [redis, model] = await Promise.all([startRedis(), StageModel.start()]);
  const ingress = await startIngressWorld(redis.url);
  const workers = await startWorkers(redis.url, model);
  const close = async (): Promise<void> => {
    await ingress.close();
    await workers.stop(AbortSignal.timeout(5000));
    await model.stop();
    await redis.stop();
  };
  return { redis, ingress, model, close };
}
