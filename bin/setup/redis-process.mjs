// @ts-check
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { redisInfo } from './redis-info.mjs';
import { say, SetupError } from './say.mjs';

/** @import { ChildProcess } from 'node:child_process' */

const LOG = 'redis.log';
const POLL_MS = 25;
/** Another process may take the free port between our look and Redis's bind. */
const PORT_TRIES = 5;
/** Writing out the AOF of a full memory takes seconds, not minutes. */
const STOP_MS = 60_000;

export const HOW_TO_GET_REDIS =
  'Install one (apt-get install redis-server, or brew install redis), or run one (docker run -p 6379:6379 redis) and set ' +
  'REDIS_URL=redis://127.0.0.1:6379. Then repeat the command.';

/** @returns {string | undefined} */
export function findRedisBinary() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return ['redis-server', 'valkey-server'].flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

/**
 * Starts a Redis of our own on loopback, durable (AOF) and never evicting, in a process group of its own so that Ctrl-C does not
 * reach it before its clients have drained. Resolves when INFO says that the answering process is this child and its data is loaded.
 * @param {object} options
 * @param {string} options.binary
 * @param {string} options.dir where its data and redis.log go; created for the owner only
 * @param {number} [options.port] a free one when left out
 * @param {string[]} [options.args] further redis-server arguments; they win
 * @param {(spawned: { child: ChildProcess, pid: number, port: number }) => void} [options.onSpawn] called before anything can fail
 */
export async function startRedisProcess({ binary, dir, port, args = [], onSpawn }) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let attempt = 1; ; attempt += 1) {
    const tried = port ?? (await freePort());
    const child = spawn(binary, [...redisArgs(dir, tried), ...args], { stdio: 'ignore', detached: true });
    const failure = new Promise((resolve) => child.once('error', resolve));
    if (child.pid === undefined) throw new SetupError(`${binary} could not be started: ${await failure}`);
    onSpawn?.({ child, pid: child.pid, port: tried });
    if (await becomesReady(child, tried)) return { child, pid: child.pid, port: tried };
    await stopProcess(child);
    if (attempt === PORT_TRIES)
      throw new SetupError(`${binary} did not start on port ${tried}. The end of ${join(dir, LOG)}:\n${logTail(dir)}`);
  }
}

/**
 * Resolves when the process has ended. SIGTERM lets Redis write everything out first.
 * @param {ChildProcess} child
 * @param {NodeJS.Signals} [signal]
 */
export async function stopProcess(child, signal = 'SIGTERM') {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(force);
}

function redisArgs(/** @type {string} */ dir, /** @type {number} */ port) {
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    logfile: join(dir, LOG),
    daemonize: 'no',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    // Each running turn has a stream of its own; small nodes keep thousands of short ones cheap.
    'stream-node-max-bytes': '512',
  };
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
}

async function becomesReady(/** @type {ChildProcess} */ child, /** @type {number} */ port) {
  let told = false;
  while (!hasEnded(child)) {
    const info = await redisInfo(port);
    if (info && info.get('process_id') !== String(child.pid)) return false;
    if (info?.get('loading') === '0') return true;
    if (info && !told) say('Redis is loading its data ...');
    told ||= info !== undefined;
    await pause(POLL_MS);
  }
  return false;
}

function hasEnded(/** @type {ChildProcess} */ child) {
  return child.exitCode !== null || child.signalCode !== null;
}

function logTail(/** @type {string} */ dir) {
  try {
    return readFileSync(join(dir, LOG), 'utf8').split('\n').slice(-12).join('\n');
  } catch {
    return '(empty)';
  }
}
