import { mkdtempSync, writeFileSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisBinary, stopProcess } from '#setup/redis-process';
import { freePort } from './harness/free-port.js';
import { waitUntil } from './harness/wait-until.js';
import { startRedis, type RedisServer } from './redis-server.js';

/** A master, its replica and three sentinels, processes of the test's own on loopback. */
export interface RedisSentinels {
  /** redis-sentinel:// with all three. */
  readonly url: string;
  readonly servers: readonly RedisServer[];
  /** Kills (SIGKILL) the first master and waits until the sentinels have made its replica the master. */
  failOver(): Promise<void>;
  /** Starts the killed one again, as a replica: as a master it would be one until the sentinels see it. Resolves when it has everything. */
  heal(): Promise<void>;
  stop(): Promise<void>;
}

const MASTER = 'mymaster';
const DOWN_AFTER_MS = 1000;
const GUARD_MS = 60_000;

export async function startRedisSentinels(args: string[] = []): Promise<RedisSentinels> {
  const more = ['--repl-diskless-sync-delay', '0', ...args];
  const master = await startRedis({ args: more });
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', `${master.port}`, ...more] });
  await waitUntil('the replica has its data', () => replica.cli('info', 'replication'), isLinked, GUARD_MS);
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(master.port)));
  const ask = (port: number, ...words: string[]): Promise<string> => master.cliOf(port, 'sentinel', ...words);
  for (const { port } of sentinels)
    await waitUntil('the sentinels know each other', () => ask(port, 'ckquorum', MASTER).catch(String), isQuorum, GUARD_MS);
  const masterNow = async (): Promise<string> => ask(sentinels[0]?.port ?? 0, 'get-master-addr-by-name', MASTER);
  return {
    url: `redis-sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    servers: [master, replica],
    async failOver() {
      await master.kill();
      const isOther = (address: string): boolean => address.includes(`${replica.port}`);
      await waitUntil('the replica is the master', masterNow, isOther, GUARD_MS);
    },
    async heal() {
      await master.restart(['--replicaof', '127.0.0.1', `${replica.port}`]);
      await waitUntil('the old master follows', () => master.cli('info', 'replication'), isLinked, GUARD_MS);
    },
    stop: async () => {
      await Promise.all(sentinels.map(({ child }) => stopProcess(child, 'SIGKILL')));
      await Promise.all([master.kill(), replica.kill()]);
    },
  };
}

const isLinked = (info: string): boolean => info.includes('master_link_status:up');
const isQuorum = (answer: string): boolean => answer.startsWith('OK 3 usable');

async function startSentinel(masterPort: number): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const file = join(mkdtempSync(join(tmpdir(), 'turnpike-sentinel-')), 'sentinel.conf');
  const watched = [
    `monitor ${MASTER} 127.0.0.1 ${masterPort} 2`,
    `down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
    `failover-timeout ${MASTER} 10000`,
  ];
  writeFileSync(file, [`port ${port}`, 'bind 127.0.0.1', ...watched.map((line) => `sentinel ${line}`)].join('\n'));
  const child = spawn(findRedisBinary() ?? 'redis-server', [file, '--sentinel'], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return { child, port };
}
