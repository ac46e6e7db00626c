import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { redisUserArgs } from './harness/redis-user.js';
import { findRedisBinary, startRedisProcess, stopProcess } from '#setup/redis-process';

export interface RedisOptions {
  /** As redis.conf writes it: '64mb'. Unlimited when left out. */
  maxmemory?: string;
  /** Default true, as in production. */
  appendonly?: boolean;
  /** A free one when left out. */
  port?: number;
  /** More of redis-server's own arguments. */
  args?: string[];
}

/** A Redis of the test's own, in a temporary folder. Both are gone when the test process is, however that ends. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Another one after `restart`. */
  readonly pid: number;
  /** redis-cli against it; resolves with its output. */
  cli(...args: string[]): Promise<string>;
  /** The same against another server on loopback. */
  cliOf(port: number, ...args: string[]): Promise<string>;
  /** Starts again on the same port and data, after ending it cleanly where `stop` or `kill` has not. @param more arguments for this time */
  restart(more?: string[]): Promise<void>;
  /** SIGTERM: everything is written out. */
  stop(): Promise<void>;
  /** SIGKILL: what everysec has not synced yet may be lost. */
  kill(): Promise<void>;
}

/** @throws when no redis-server is on PATH */
export async function startRedis({
  maxmemory = '0',
  appendonly = true,
  port,
  args: more = [],
}: RedisOptions = {}): Promise<RedisServer> {
  const binary = findRedisBinary();
  if (!binary) {
    throw new Error(
      'The tests kill, fill and restart Redis servers of their own, so redis-server or valkey-server must be on PATH. ' +
        'Install it (apt-get install redis-server, or brew install redis) and repeat. docker run -p 6379:6379 redis serves npm start only.',
    );
  }
  const dir = mkdtempSync(join(tmpdir(), 'turnpike-redis-'));
  const args = ['--maxmemory', maxmemory, '--appendonly', appendonly ? 'yes' : 'no', ...redisUserArgs(), ...more];
  const guarded = guardFolder(dir);
  const start = async (wanted?: number, now: string[] = []): Promise<{ child: ChildProcess; pid: number; port: number }> => {
    const started = await startRedisProcess({
      binary,
      dir,
      port: wanted,
      args: [...args, ...now],
      onSpawn: ({ child }) => guarded(child),
    });
    started.child.unref();
    return started;
  };
  let current = await start(port);
  const cliOf = async (of: number, ...words: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(binary.replace(/server$/, 'cli'), ['-p', String(of), ...words]);
    return stdout.trimEnd();
  };
  return {
    url: `redis://127.0.0.1:${current.port}`,
    port: current.port,
    get pid() {
      return current.pid;
    },
    cli: (...words) => cliOf(current.port, ...words),
    cliOf,
    async restart(now) {
      await stopProcess(current.child);
      current = await start(current.port, now);
    },
    stop: () => stopProcess(current.child),
    kill: () => stopProcess(current.child, 'SIGKILL'),
  };
}

/**
 * A shell that is told which process works in the folder, and ends both when its input closes: the system closes it even when this
 * process is killed.
 */
function guardFolder(dir: string): (child: ChildProcess) => void {
  const script = 'while read -r line; do pid=$line; done; [ -z "$pid" ] || kill -9 "$pid"; rm -rf "$1"';
  const guard = spawn('sh', ['-c', script, 'guard', dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const tell = (line: string): unknown => guard.stdin.write(`${line}\n`);
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  return (child) => {
    tell(String(child.pid));
    child.once('exit', () => tell(''));
  };
}
