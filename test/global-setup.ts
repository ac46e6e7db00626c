import type { TestProject } from 'vitest/node';
import { startRedis } from './redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** One Redis for all specs that keep to a key prefix of their own; who kills, fills or flushes starts its own (redis-server.ts). */
    redisUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  project.provide('redisUrl', redis.url);
  return () => redis.stop();
}
