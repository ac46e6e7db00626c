import { InvalidInputError } from '#kernel';

export interface RedisNode {
  host: string;
  port: number;
}

interface Access {
  username: string | undefined;
  password: string | undefined;
  tls: boolean;
}

/** Where Redis is, and what kind of deployment it is. */
export type RedisAddress = Access &
  (
    | { kind: 'standalone'; node: RedisNode; db: number }
    /** Some of its nodes; the others are found through them. */
    | { kind: 'cluster'; nodes: RedisNode[] }
    /** `sentinelPassword` is that of the sentinels, `password` that of the servers they watch. */
    | { kind: 'sentinel'; sentinels: RedisNode[]; master: string; db: number; sentinelPassword: string | undefined }
  );

const FORM =
  /^redis(?<tls>s)?(?:-(?<kind>cluster|sentinel))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@]*))?@)?(?<hosts>[^/?#@]+)(?<rest>[/?#].*)?$/;
const HOST = /^(?<host>\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+)(?::(?<port>\d{1,5}))?$/;
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

/**
 * Reads `redis://[user:password@]host[:port][/db]`, `redis-cluster://[user:password@]host:port,host:port,...` or
 * `redis-sentinel://[user:password@]host:port,host:port,.../master[/db][?sentinelPassword=...]`; `rediss` instead of `redis` is TLS to all of them.
 * @throws InvalidInputError says which part is wrong and never repeats a password
 */
export function parseRedisUrl(url: string): RedisAddress {
  const {
    tls,
    kind = 'standalone',
    user,
    password,
    hosts = '',
    rest = '',
  } = FORM.exec(url)?.groups ?? fail('is none of redis://, redis-cluster://, redis-sentinel:// or their rediss forms');
  const access = { username: decoded(user), password: decoded(password), tls: tls !== undefined };
  const nodes = hosts.split(',').map((host) => nodeOf(host, kind === 'sentinel' ? SENTINEL_PORT : REDIS_PORT));
  const { path, query } = pathOf(rest);
  if (kind === 'cluster') {
    if (path.length > 0) fail('names a database or a path: a cluster has database 0 only');
    return { ...access, kind, nodes };
  }
  if (kind === 'sentinel') {
    const [master, db] = path;
    if (!master) fail('does not name the master its sentinels watch: write it behind the hosts, /mymaster');
    return {
      ...access,
      kind,
      sentinels: nodes,
      master,
      db: database(db),
      sentinelPassword: query.get('sentinelPassword') ?? undefined,
    };
  }
  const [node, another] = nodes;
  if (!node || another) fail('names several hosts: that is redis-cluster:// or redis-sentinel://');
  return { ...access, kind: 'standalone', node, db: database(path[0]) };
}

function pathOf(rest: string): { path: string[]; query: URLSearchParams } {
  const [path = '', query = ''] = rest.split('?');
  return { path: path.split('/').filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(query) };
}

function nodeOf(text: string, defaultPort: number): RedisNode {
  const { host = '', port } = HOST.exec(text)?.groups ?? fail(`has a host that is none: "${text}"`);
  const number = port === undefined ? defaultPort : Number(port);
  if (number < 1 || number > 65_535) fail(`has a port that is none: ${number}`);
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function database(text: string | undefined): number {
  if (text === undefined) return 0;
  return /^\d{1,5}$/.test(text) ? Number(text) : fail(`has a database that is no number: "${text}"`);
}

function decoded(text: string | undefined): string | undefined {
  return text ? decodeURIComponent(text) : undefined;
}

function fail(what: string): never {
  throw new InvalidInputError(`The address of Redis ${what}`);
}
