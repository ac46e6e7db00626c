// @ts-check
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { say } from './say.mjs';

/** One Ctrl-C reaches us twice under npm: from the terminal and from npm itself. What comes later is a second one. */
const SAME_SIGNAL_MS = 1000;

/**
 * The exit code of a child, as a shell tells it: 128 + n when a signal ended it.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
export function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

/**
 * Runs a program in the foreground: it shares the terminal, so Ctrl-C reaches it directly and only SIGTERM is passed on.
 * @param {string[]} nodeArgs script and arguments
 * @param {NodeJS.ProcessEnv} [env]
 */
export function runInForeground(nodeArgs, env = process.env) {
  const child = spawn(process.execPath, nodeArgs, { stdio: 'inherit', env });
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return exitCodeOf(child);
}

/**
 * Runs a server in a process group of its own, so that one Ctrl-C is one SIGINT: the first asks it to drain, a second one kills it.
 * It also drains when this process is killed (follow-launcher.mjs).
 * @param {string[]} nodeArgs script and arguments
 * @param {NodeJS.ProcessEnv} env
 * @param {'inherit' | number} [stdout] an open file takes its log lines
 */
export async function runServer(nodeArgs, env, stdout = 'inherit') {
  const follow = new URL('./follow-launcher.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--enable-source-maps', '--import', follow, ...nodeArgs], {
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
    env,
    detached: true,
  });
  let askedAt = 0;
  const ask = (/** @type {NodeJS.Signals} */ signal) => {
    const now = performance.now();
    if (!askedAt) {
      askedAt = now;
      say('stopping: running turns may finish for a while; the others go on at the next start. Ctrl-C again to force.');
      child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    } else if (now - askedAt > SAME_SIGNAL_MS) {
      say('forced.');
      child.kill('SIGKILL');
    }
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, ask);
  return exitCodeOf(child);
}
