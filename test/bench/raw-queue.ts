import { Redis } from 'ioredis';
import { loadConfig } from '#config';

export const RAW_QUEUE = 'raw';

/** A connection as BullMQ's guide has it: nothing of Turnpike's. */
export function rawConnection(): Redis {
  return new Redis(loadConfig().redis.url, { maxRetriesPerRequest: null });
}
