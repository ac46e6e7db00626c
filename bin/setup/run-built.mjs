// @ts-check
import { runInForeground } from './child.mjs';
import { inCheckout } from './paths.mjs';
import { prepareBuilt } from './prepare.mjs';
import { entry } from './say.mjs';

/** Runs a program of dist with the arguments of this command. */
export function runBuilt(/** @type {string[]} */ ...path) {
  return entry(async () => {
    await prepareBuilt();
    return runInForeground(['--enable-source-maps', inCheckout('dist', ...path), ...process.argv.slice(2)]);
  });
}
