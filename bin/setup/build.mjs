// @ts-check
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCheckout } from './paths.mjs';
import { say, SetupError } from './say.mjs';

const SOURCES = ['apps', 'libs', 'plugins', 'test'];
const SETTINGS = ['.swcrc', 'package-lock.json'];
const STAMP = '.sources';

/** Compiles into dist when a source was added, changed or removed since the last build. */
export function ensureBuilt() {
  const sources = SOURCES.filter((folder) => existsSync(inCheckout(folder)));
  const fingerprint = fingerprintOf(sources);
  if (fingerprint === lastFingerprint()) return;

  say('building ...');
  // Built beside dist and swapped in whole: no output of a deleted source stays, and a failed build leaves the last one.
  const next = `dist-${process.pid}`;
  const swc = inCheckout('node_modules', '@swc', 'cli', 'bin', 'swc.js');
  const args = [swc, ...sources, '-d', next, '--copy-files', '--quiet'];
  const { status } = spawnSync(process.execPath, args, { cwd: inCheckout(), stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(inCheckout(next), { recursive: true, force: true });
    throw new SetupError(
      'The build failed; the file and line are above. Mend it and repeat the command (npm run check shows type errors too).',
    );
  }
  writeFileSync(inCheckout(next, STAMP), fingerprint);
  rmSync(inCheckout('dist'), { recursive: true, force: true });
  renameSync(inCheckout(next), inCheckout('dist'));
}

function lastFingerprint() {
  const stamp = inCheckout('dist', STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Path, size and time of every input: a removed or an older file counts as a change too. */
function fingerprintOf(/** @type {string[]} */ folders) {
  const inFolders = folders.flatMap((folder) =>
    readdirSync(inCheckout(folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const hash = createHash('sha256');
  for (const path of [...inFolders, ...SETTINGS].sort()) {
    const stat = statSync(inCheckout(path), { throwIfNoEntry: false });
    if (stat?.isFile()) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`);
  }
  return hash.digest('hex');
}
