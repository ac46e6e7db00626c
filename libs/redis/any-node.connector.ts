import { createConnection } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import { parseRedisUrl, type RedisAddress } from '#config';
import { singleOptions } from './connection.js';

/** For a socket to end by itself. */
const DISCONNECT_TIMEOUT_MS = 2000;

type ClusterAddress = Extract<RedisAddress, { kind: 'cluster' }>;

/**
 * Options of an ioredis connection that only publishes and listens, for who opens it himself (Nest's Redis transport): a cluster
 * passes on to all nodes what one is told, so any node will do.
 * @throws InvalidInputError
 */
export function pubSubOptions(url: string): Omit<RedisOptions, 'retryStrategy'> {
  const address = parseRedisUrl(url);
  if (address.kind !== 'cluster') {
    const { retryStrategy: _, ...options } = singleOptions(address);
    return options;
  }
  const { username, password } = address;
  return { ...(username && { username }), ...(password && { password }), Connector: anyNodeOf(address) };
}

/** Each connection goes to the next node: one that is gone is not asked twice in a row. */
function anyNodeOf({ nodes, tls }: ClusterAddress): NonNullable<RedisOptions['Connector']> {
  let next = 0;
  return class extends AbstractConnector {
    constructor() {
      super(DISCONNECT_TIMEOUT_MS);
    }

    override async connect() {
      const node = nodes[next++ % nodes.length] ?? { host: 'localhost', port: 6379 };
      this.connecting = true;
      this.stream = tls ? connectTls({ ...node, servername: node.host }) : createConnection(node);
      return this.stream;
    }
  };
}
