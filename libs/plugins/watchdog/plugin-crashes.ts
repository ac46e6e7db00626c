import type { RedisClient } from '#redis';

/** Deaths of its process after which a plugin is not loaded any more, until it or its configuration is another one, or a day is over. */
const CRASHES_ALLOWED = 3;
const KEPT_MS = 86_400_000;

export async function countCrash(redis: RedisClient, key: string, why: string): Promise<void> {
  await redis.multi().hincrby(key, 'crashes', 1).hset(key, 'why', why).pexpire(key, KEPT_MS).exec();
}

/** Why a plugin is in quarantine; undefined: it is not. */
export async function quarantineOf(redis: RedisClient, key: string): Promise<string | undefined> {
  const [crashes, why] = await redis.hmget(key, 'crashes', 'why');
  if (Number(crashes ?? 0) < CRASHES_ALLOWED) return undefined;
  return `quarantined for a day: it ${why} ${crashes} times. Another version or configuration of it is tried at once`;
}
