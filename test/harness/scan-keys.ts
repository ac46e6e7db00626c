import { mastersOf, type RedisClient } from '#redis';

/** Every key of every server that holds some, a thousand at a time. */
export async function* scanKeys(redis: RedisClient): AsyncGenerator<string[]> {
  for (const server of mastersOf(redis)) yield* server.scanStream({ count: 1000 }) as AsyncIterable<string[]>;
}
