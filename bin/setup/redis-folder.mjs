// @ts-check
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { redisInfo } from './redis-info.mjs';
import { startRedisProcess, stopProcess } from './redis-process.mjs';
import { say, SetupError } from './say.mjs';

// Two Redis on one AOF destroy it. So `running.json` in the folder names the Redis that holds it and the launcher that owns that
// Redis; it is written before the Redis can write anything, and it outlives a launcher that was killed.

/** @typedef {{ pid: number, port: number, launcher: number }} Running */

const POLL_MS = 100;
/** Time for a Redis that is just starting or stopping to answer or to be gone. */
const SETTLE_MS = 10_000;

/**
 * A Redis on `folder`: the one a killed launcher left running there, else a new one.
 * @param {string} binary
 * @param {string} folder
 */
export async function openDataFolder(binary, folder) {
  const note = join(folder, 'running.json');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const left = readNote(note);
  if (left && (await isStillRedis(left, folder))) {
    if (isAlive(left.launcher)) {
      throw new SetupError(
        `Turnpike already runs on ${folder} (launcher process ${left.launcher}). Stop it first (Ctrl-C there, or kill ${left.launcher}), or give this one a Redis of its own with REDIS_URL.`,
      );
    }
    say(`a Redis of an earlier run still holds ${folder} (process ${left.pid}): going on with it`);
    writeNote(note, left);
    return { port: left.port, stop: () => stopAdopted(left.pid, note) };
  }

  say(`starting Redis, data in ${folder}`);
  const { child, port } = await startRedisProcess({ binary, dir: folder, onSpawn: (spawned) => writeNote(note, spawned) });
  child.once('exit', warnOfExit);
  const stop = async () => {
    child.off('exit', warnOfExit);
    await stopProcess(child);
    rmSync(note, { force: true });
    say(`stopped; everything is kept in ${folder}`);
  };
  return { port, stop };

  function warnOfExit() {
    say(
      `Redis has ended, nothing works without it. Its reason is in ${join(folder, 'redis.log')}; stop with Ctrl-C and start again.`,
    );
  }
}

/** @returns {Running | undefined} */
function readNote(/** @type {string} */ note) {
  try {
    return JSON.parse(readFileSync(note, 'utf8'));
  } catch {
    return undefined;
  }
}

function writeNote(/** @type {string} */ note, /** @type {{ pid: number, port: number }} */ { pid, port }) {
  writeFileSync(note, JSON.stringify({ pid, port, launcher: process.pid }), { mode: 0o600 });
}

/** Process numbers are used again, so only the Redis itself can say that it is the one of the note. */
async function isStillRedis(/** @type {Running} */ left, /** @type {string} */ folder) {
  const deadline = performance.now() + SETTLE_MS;
  while (isAlive(left.pid)) {
    const info = await redisInfo(left.port);
    if (info?.get('process_id') === String(left.pid)) return true;
    if (info) return false;
    if (performance.now() > deadline) {
      throw new SetupError(
        `Process ${left.pid} was the Redis of ${folder}, is still there and does not answer. Look at it (ps ${left.pid}): if it is a Redis, end it (kill ${left.pid}); if not, remove ${join(folder, 'running.json')}. Then repeat the command.`,
      );
    }
    await pause(POLL_MS);
  }
  return false;
}

async function stopAdopted(/** @type {number} */ pid, /** @type {string} */ note) {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await pause(POLL_MS);
  rmSync(note, { force: true });
}

function isAlive(/** @type {number} */ pid) {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Ended, but still listed: its launcher is gone and the first process of a container may never collect it. */
function isZombie(/** @type {number} */ pid) {
  const stat = `/proc/${pid}/stat`;
  return existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8'));
}
