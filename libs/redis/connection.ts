import { Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis;

/**
 * worker     waits for Redis for ever: a process with nothing else to do
 * request    fails at once while Redis is away: somebody waits for the answer (B050)
 * multi      like request, and never repeats by itself what may have been executed (protocol 2)
 * subscriber restores its subscriptions by itself after a reconnect
 */
export type ConnectionRole = 'worker' | 'request' | 'multi' | 'subscriber';

const RETRY_STEP_MS = 50;
const RETRY_CAP_MS = 500;

const ROLE_OPTIONS: Record<ConnectionRole, RedisOptions> = {
  worker: { maxRetriesPerRequest: null },
  request: { maxRetriesPerRequest: 0, enableOfflineQueue: false },
  multi: { maxRetriesPerRequest: 1, enableOfflineQueue: false, autoResendUnfulfilledCommands: false },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
};

/** Opens one connection; it reconnects for ever. The caller closes it. `onError` sees every connection error (they repeat while Redis is away). */
export function connect(url: string, role: ConnectionRole, onError: (error: Error) => void = () => undefined): RedisClient {
  const redis = new Redis(url, {
    ...ROLE_OPTIONS[role],
    connectionName: `turnpike-${role}`,
    retryStrategy: (attempt) => Math.min(RETRY_STEP_MS * attempt, RETRY_CAP_MS),
  });
  redis.on('error', onError);
  redis.on('connect', () => writeOnceATick(redis));
  return redis;
}

/**
 * What is sent in one tick leaves in one write: with many turns in work most ticks send several commands, and a write is a
 * system call here and a read there. The order of commands stays as it is.
 */
function writeOnceATick(redis: RedisClient): void {
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
