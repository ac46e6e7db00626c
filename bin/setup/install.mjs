// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { inCheckout } from './paths.mjs';
import { say, SetupError } from './say.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean }>} Packages */

/** Installs when node_modules is not what package-lock.json asks for. npm keeps its own record of what it installed. @returns whether it did */
export function ensureInstalled() {
  const wanted = readPackages('package-lock.json');
  if (!wanted)
    throw new SetupError('package-lock.json is missing or unreadable. Get it back with: git checkout package-lock.json');
  if (isInstalled(wanted, readPackages('node_modules/.package-lock.json'))) return false;

  say('installing dependencies (npm ci), about half a minute ...');
  const [command, ...prefix] = npmCommand();
  // Development and optional packages are named because NODE_ENV or a user's npmrc may leave them out.
  const args = [...prefix, 'ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(command, args, { cwd: inCheckout(), stdio: ['ignore', 2, 2] });
  if (error) throw new SetupError(`npm could not be started (${error.message}). Install Node with npm, then repeat the command.`);
  if (status !== 0) {
    throw new SetupError(
      'npm ci failed; its reason is above. Check the network and proxy (npm config get registry; npm ping), the free disk space, and that ' +
        'package.json and package-lock.json belong together (npm install mends them). Then repeat the command.',
    );
  }
  return true;
}

/**
 * Optional packages may be missing: they are for other platforms.
 * @param {Packages} wanted
 * @param {Packages | undefined} found
 */
function isInstalled(wanted, found) {
  if (!found) return false;
  return Object.entries(wanted).every(([path, { version, integrity, optional }]) => {
    if (path === '') return true;
    const installed = found[path];
    if (!installed) return optional === true;
    return installed.version === version && installed.integrity === integrity;
  });
}

/** @returns {Packages | undefined} */
function readPackages(/** @type {string} */ lockFile) {
  try {
    return JSON.parse(readFileSync(inCheckout(lockFile), 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** The npm that runs us, else the one on PATH. @returns {[string, ...string[]]} */
function npmCommand() {
  const runningNpm = process.env.npm_execpath;
  return runningNpm?.endsWith('npm-cli.js') ? [process.execPath, runningNpm] : ['npm'];
}
