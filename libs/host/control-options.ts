import { pubSubOptions } from '#redis';

const RECONNECT_MS = 500;
/** A command without an answer for this long means that the link is dead, though nobody closed it. */
const SOCKET_TIMEOUT_MS = 5000;

/**
 * How Nest's Redis transport connects. Its own default is to give up at the first cut (retryAttempts 0), which leaves a process
 * that looks healthy and hears nothing (B103); here it never gives up.
 */
export function controlOptions(redisUrl: string) {
  return {
    ...pubSubOptions(redisUrl),
    connectionName: 'turnpike-control',
    retryAttempts: Number.MAX_SAFE_INTEGER,
    retryDelay: RECONNECT_MS,
    maxRetriesPerRequest: null,
    socketTimeout: SOCKET_TIMEOUT_MS,
  };
}

/** The part of an ioredis connection that is used on those the transport opened. */
export interface Link {
  readonly status: string;
  publish(channel: string, message: string): Promise<number>;
  disconnect(reconnect?: boolean): void;
}
