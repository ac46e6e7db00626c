#!/usr/bin/env node
// @ts-check
// npm run check: every check runs, so one run shows everything that is wrong.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inCheckout } from './setup/paths.mjs';
import { prepare } from './setup/prepare.mjs';
import { entry, say } from './setup/say.mjs';

const SOURCES = ['apps', 'libs', 'plugins', 'test'];

/** @type {{ name: string, script: string, args: string[], fix: string }[]} */
const CHECKS = [
  { name: 'format', script: 'prettier/bin/prettier.cjs', args: ['--check', '.'], fix: 'npx prettier --write .' },
  {
    name: 'lint',
    script: 'oxlint/bin/oxlint',
    args: ['--type-aware', '--deny-warnings'],
    fix: 'npx oxlint --type-aware --fix, the rest by hand',
  },
  { name: 'types', script: 'typescript/bin/tsc', args: ['--noEmit'], fix: 'mend the types; a cast is no fix' },
  {
    name: 'boundaries',
    script: 'dependency-cruiser/bin/dependency-cruiser.mjs',
    args: [
      '--config',
      '.dependency-cruiser.mjs',
      '--output-type',
      'err-long',
      ...SOURCES.filter((folder) => existsSync(inCheckout(folder))),
    ],
    fix: 'each rule above says what to do instead',
  },
  { name: 'dead code', script: 'knip/bin/knip.js', args: [], fix: 'delete what nobody uses, or use it' },
];

await entry(async () => {
  await prepare();
  const failed = CHECKS.filter((check) => !passes(check));
  for (const { name, fix } of failed) say(`${name} failed. To fix: ${fix}`);
  if (failed.length === 0) say(`all ${CHECKS.length} checks passed`);
  return failed.length === 0 ? 0 : 1;
});

function passes(/** @type {(typeof CHECKS)[number]} */ { name, script, args }) {
  say(`checking ${name} ...`);
  const { status } = spawnSync(process.execPath, [inCheckout('node_modules', script), ...args], {
    cwd: inCheckout(),
    stdio: 'inherit',
  });
  return status === 0;
}
