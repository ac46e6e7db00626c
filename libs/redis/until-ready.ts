import type { Redis } from 'ioredis';
import { mastersOf, type RedisClient } from './connection.js';

/** Resolves when commands are taken. @throws when that takes longer than `ms` */
export async function untilReady(redis: RedisClient, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`Redis did not answer within ${ms / 1000} s: is REDIS_URL right, and is it running?`);
    timer = setTimeout(() => reject(error), ms);
  });
  await Promise.race([takesCommands(redis), late]).finally(() => clearTimeout(timer));
}

async function takesCommands(redis: RedisClient): Promise<void> {
  while (redis.status !== 'ready') await settled(redis);
  // A cluster's nodes are connected when first asked for something; who waits for nothing would be refused meanwhile.
  if (redis.options.enableOfflineQueue === false) await mastersTakeCommands(redis);
}

/** One that dies meanwhile is no master any more: those that are left, and who took over, are looked at again. */
async function mastersTakeCommands(redis: RedisClient): Promise<void> {
  for (;;) {
    const waiting = mastersOf(redis).filter(({ status }) => status !== 'ready' && status !== 'end');
    if (waiting.length === 0) return;
    await Promise.all(waiting.map(connected));
  }
}

async function connected(node: Redis): Promise<void> {
  const done = settled(node);
  if (node.status === 'wait') node.connect().catch(() => undefined);
  await done;
}

function settled(redis: RedisClient): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['ready', 'end']) redis.once(event, () => resolve());
  });
}
