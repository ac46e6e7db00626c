import { startRedisSentinels } from '../redis-sentinel.js';
import { startRedis, type RedisServer } from '../redis-server.js';
import { startRedisCluster } from '../redis-cluster.js';

/** What the fleet of a torture run stands on. */
export interface TortureRedis {
  readonly url: string;
  /** Every server forgets its scripts. */
  flushScripts(): Promise<void>;
  /**
   * Kills the server that holds the most of it, waits for the one that takes over and starts the dead one again: without a replica
   * nothing more is `replicated`. Absent: there is no other.
   */
  failOver?(): Promise<void>;
  stop(): Promise<void>;
}

export type TortureRedisKind = 'one' | 'cluster' | 'sentinel';

/** Any one: each master holds some buckets. */
const SLOT = 5000;

const START: Record<TortureRedisKind, () => Promise<TortureRedis>> = { one, cluster, sentinel };

export function startTortureRedis(kind: TortureRedisKind): Promise<TortureRedis> {
  return START[kind]();
}

async function one(): Promise<TortureRedis> {
  const server = await startRedis();
  return { url: server.url, flushScripts: () => flush([server]), stop: () => server.stop() };
}

async function cluster(): Promise<TortureRedis> {
  const { url, nodes, killMasterOf, heal, stop } = await startRedisCluster();
  return { url, flushScripts: () => flush(nodes), failOver: () => killMasterOf(SLOT).then(heal), stop };
}

async function sentinel(): Promise<TortureRedis> {
  const { url, servers, failOver, heal, stop } = await startRedisSentinels();
  return { url, flushScripts: () => flush(servers), failOver: () => failOver().then(heal), stop };
}

async function flush(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.cli('SCRIPT', 'FLUSH').catch(() => undefined)));
}
