import { TerminalError } from '#kernel';
import type { Keyspace, RedisClient } from '#redis';

/** The number of buckets decides where every key lives: the first process writes it down, another value refuses to start. */
export async function claimBuckets(redis: RedisClient, keyspace: Keyspace): Promise<void> {
  const known = await redis.set(keyspace.limits('buckets'), keyspace.bucketCount, 'NX', 'GET');
  if (known === null || Number(known) === keyspace.bucketCount) return;
  throw new TerminalError(
    'buckets_changed',
    `This Redis holds a deployment with ${known} bucket(s), the configuration says ${keyspace.bucketCount}. Set redis.buckets to ${known}, or use an empty Redis.`,
  );
}
