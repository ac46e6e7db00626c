// @ts-check
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ensureNode24 } from './node-24.mjs';

/** What every command needs: dependencies of the lock file and Node 24. */
export async function prepare() {
  const justInstalled = ensureInstalled();
  await ensureNode24(justInstalled);
}

/** The same, and a dist that is not older than the sources. */
export async function prepareBuilt() {
  await prepare();
  ensureBuilt();
}
