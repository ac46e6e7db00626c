// @ts-check
import { spawn, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import { exitCodeOf } from './child.mjs';
import { inCheckout } from './paths.mjs';
import { say, SetupError } from './say.mjs';

/** 24.15: the first Node 24 with everything the dependencies ask for. */
const MIN_MAJOR = 24;
const MIN_MINOR = 15;

/**
 * Goes on when this process already is the Node we build for; else runs the same command again on it and never returns.
 * The runtime comes with the dependencies (node-linux-*); where there is none, the user's own Node serves.
 * @param {boolean} tell say which Node it is
 */
export async function ensureNode24(tell) {
  process.env.PATH = `${inCheckout('node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const shipped = shippedNode();
  if (shipped && realpathSync(shipped) !== realpathSync(process.execPath)) {
    if (tell && !isNewEnough(process.version))
      say(`going on with the Node ${versionOf(shipped)} of the dependencies (yours is ${process.version})`);
    process.exit(await runAgainOn(shipped));
  }
  if (shipped || isNewEnough(process.version)) return;
  throw new SetupError(
    `Node ${MIN_MAJOR}.${MIN_MINOR} or newer is needed; this is ${process.version}, and none came with the dependencies on ` +
      `${process.platform}-${process.arch}. Get it: nvm install 24 (or fnm, volta), brew install node@24, or nodejs.org/download. Then repeat the command.`,
  );
}

/** Undefined where no package serves the platform, or the binary can't run here (musl). */
function shippedNode() {
  const path = inCheckout('node_modules', '.bin', 'node');
  const version = versionOf(path);
  return version && isNewEnough(version) ? path : undefined;
}

function versionOf(/** @type {string} */ node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function isNewEnough(/** @type {string} */ version) {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  return major > MIN_MAJOR || (major === MIN_MAJOR && minor >= MIN_MINOR);
}

/** Signals are passed on and this process waits: whoever started us sees one process that ends when the work has ended. */
function runAgainOn(/** @type {string} */ node) {
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal));
  return exitCodeOf(child);
}
