import type { RedisClient } from './connection.js';

/** The clock all stored times are by, ms. */
export async function redisTime(redis: RedisClient): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
