import { connect, type RedisClient } from '#redis';
import { loadConfig } from '#config';

export const RAW_QUEUE = 'raw';

/** One connection, as BullMQ's guide has it. */
export function rawConnection(): RedisClient {
  return connect(loadConfig().redis.url, 'worker');
}
