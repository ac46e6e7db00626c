import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '#config';

/** One Redis, the master its sentinels name, or a cluster: commands are the same. */
export type RedisClient = Redis | Cluster;

/**
 * worker     waits for Redis for ever: a process with nothing else to do
 * request    fails at once while Redis is away: somebody waits for the answer (B050)
 * multi      like request, and never repeats by itself what may have been executed (protocol 2)
 * subscriber restores its subscriptions by itself after a reconnect
 */
export type ConnectionRole = 'worker' | 'request' | 'multi' | 'subscriber';

const RETRY_STEP_MS = 50;
const RETRY_CAP_MS = 500;
/** A cluster without a master for a slot: how soon a waiting command looks again. */
const CLUSTER_RETRY_MS = 100;
/** Commands of a `worker` or `subscriber` are tried again for as long as a failover can take. */
const CLUSTER_TRIES = 100_000;

const ROLE_OPTIONS: Record<ConnectionRole, RedisOptions> = {
  worker: { maxRetriesPerRequest: null },
  request: { maxRetriesPerRequest: 0, enableOfflineQueue: false },
  multi: { maxRetriesPerRequest: 1, enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
};

/**
 * Opens one connection, in a cluster one to each node that is used; it reconnects for ever. The caller closes it. `onError` sees every
 * connection error (they repeat while Redis is away).
 * @param url as `parseRedisUrl` reads it
 * @throws InvalidInputError
 */
export function connect(url: string, role: ConnectionRole, onError: (error: Error) => void = () => undefined): RedisClient {
  const address = parseRedisUrl(url);
  const redis =
    address.kind === 'cluster' ? ofCluster(address, role) : new Redis({ ...singleOptions(address), ...connectionOptions(role) });
  redis.on('error', onError);
  if (redis instanceof Redis) redis.on('connect', () => writeOnceATick(redis));
  else redis.on('+node', (node: Redis) => node.on('connect', () => writeOnceATick(node)));
  return redis;
}

/** The servers that hold the keys: one, or each master of a cluster that is known now. */
export function mastersOf(redis: RedisClient): Redis[] {
  return redis instanceof Redis ? [redis] : redis.nodes('master');
}

/** Options of a connection to one server: the one there is, or the one the sentinels name. */
export function singleOptions(address: Exclude<RedisAddress, { kind: 'cluster' }>): RedisOptions {
  const access = accessOptions(address);
  if (address.kind === 'standalone') return { ...access, ...address.node, db: address.db };
  const { sentinels, master, db, sentinelPassword, tls } = address;
  return {
    ...access,
    sentinels,
    name: master,
    db,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    sentinelRetryStrategy: backoff,
    // What was refused was not executed: it is sent again to the new master.
    reconnectOnError: ({ message }) => (message.startsWith('READONLY') ? 2 : false),
  };
}

function accessOptions({ username, password, tls }: RedisAddress): RedisOptions {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }), ...(tls && { tls: {} }) };
}

function connectionOptions(role: ConnectionRole): RedisOptions {
  return { ...ROLE_OPTIONS[role], connectionName: `turnpike-${role}`, retryStrategy: backoff };
}

function ofCluster(address: Extract<RedisAddress, { kind: 'cluster' }>, role: ConnectionRole): Cluster {
  const { enableOfflineQueue = true, ...connection } = connectionOptions(role);
  return new Cluster(address.nodes, {
    redisOptions: { ...accessOptions(address), ...connection },
    clusterRetryStrategy: backoff,
    enableOfflineQueue,
    // Certificates name hosts, and CLUSTER SLOTS may give addresses: names are kept as they are given.
    ...(address.tls && { dnsLookup: (name: string, found: (error: null, address: string) => void) => found(null, name) }),
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    // 0: a command whose connection broke fails, because it may have been executed.
    retryDelayOnFailover: enableOfflineQueue ? CLUSTER_RETRY_MS : 0,
    maxRedirections: enableOfflineQueue ? CLUSTER_TRIES : 16,
  });
}

function backoff(attempt: number): number {
  return Math.min(RETRY_STEP_MS * attempt, RETRY_CAP_MS);
}

/**
 * What is sent in one tick leaves in one write: with many turns in work most ticks send several commands, and a write is a
 * system call here and a read there. The order of commands stays as it is.
 */
function writeOnceATick(redis: Redis): void {
  const { stream } = redis;
  const write = stream.write.bind(stream);
  let corked = false;
  const release = (): void => {
    corked = false;
    stream.uncork();
  };
  stream.write = (...args: unknown[]): boolean => {
    if (!corked) {
      corked = true;
      stream.cork();
      process.nextTick(release);
    }
    return Reflect.apply(write, stream, args) as boolean;
  };
}
